"""Policies: the pocket policy, SmolLM2 from its wheel, any hub model or local folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, LlamaConfig, LlamaForCausalLM

from synth.environments.gadgets.words import FOREIGN, KNOWN, MEANINGS
from trainer.config import PolicyConfig
from trainer.lora import ADAPTER, base_of, load_adapter, write_base
from trainer.tokenizer import build_tokenizer
from trainer.weights import policy_identity, weights_hash
from warehouse.errors import UserError
from warehouse.records import Policy, content_hash

if TYPE_CHECKING:
    from trainer.rollout import Completion, Piece

POCKET, POCKET_AGENT, POCKET_TOOLS, SMOLLM = "pocket", "pocket_agent", "pocket_tools", "smollm"

AGENT_WORDS = ("look ", "set ", "run", "done", "got ", " want ", "add ", "sub ", "mul ", "ok")
AGENT_CONTEXT = 128
"""What the pocket agent reads as one token each, and the longest episode that it can follow, tokens."""

TOOL_WORDS = (*(f"{word} " for word in MEANINGS), *MEANINGS, "find ", "say ", "done", "busy", "ok", "no",
              *KNOWN, *FOREIGN)  # fmt: skip
"""What the policy for pocket tool sets reads as one token each."""


@dataclass(frozen=True)
class LoadedPolicy:
    """A policy in memory: `model` in float32 on CPU or as loaded, its tokenizer, and who it is."""

    model: Any
    tokenizer: Any
    policy_id: str
    name: str
    lineage: str
    path: str = ""
    base: Mapping[str, str] | None = None
    """For an adapter: path and policy id of the policy under it."""
    elsewhere: Callable[[Sequence[Piece]], list[list[list[Completion]]]] | None = None
    """Who draws the pieces of a sample, where this process does not."""

    @property
    def chat(self) -> bool:
        """Whether prompts go through the tokenizer's chat template."""
        return getattr(self.tokenizer, "chat_template", None) is not None

    def render(self, prompt: str) -> str:
        """`prompt` as the policy reads it: bare, or as one user turn of its chat template."""
        if not self.chat:
            return prompt
        turn = [{"role": "user", "content": prompt}]
        text: str = self.tokenizer.apply_chat_template(turn, tokenize=False, add_generation_prompt=True)
        return text

    def encode(self, prompts: Sequence[str]) -> list[list[int]]:
        """Token ids of every prompt, rendered; no padding."""
        return self.tokenise([self.render(prompt) for prompt in prompts])

    def tokenise(self, rendered: Sequence[str]) -> list[list[int]]:
        """Token ids of rendered prompts; a chat template has written its own special tokens."""
        ids: list[list[int]] = self.tokenizer(list(rendered), add_special_tokens=not self.chat)["input_ids"]
        return ids

    def reads(self, prompts: Sequence[str], *, max_tokens: int) -> list[bool]:
        """Whether each prompt has no unknown token and leaves room for `max_tokens` in the context."""
        room = self.model.config.max_position_embeddings - max_tokens
        unknown = self.tokenizer.unk_token_id
        return [len(ids) <= room and (unknown is None or unknown not in ids) for ids in self.encode(prompts)]

    @property
    def end_ids(self) -> tuple[int, ...]:
        """Token ids that end a completion: the tokenizer's and every one that the model declares."""
        declared = self.model.generation_config.eos_token_id
        ids = [] if declared is None else [declared] if isinstance(declared, int) else list(declared)
        return tuple(dict.fromkeys([self.tokenizer.eos_token_id, *ids]))


def fresh_pocket(seed: int) -> LoadedPolicy:
    """An untrained pocket policy: 0.4 M parameters of the Llama architecture, initialised from `seed`."""
    return _fresh(POCKET, seed, build_tokenizer(), context=64, width=96, depth=3)


def fresh_pocket_agent(seed: int) -> LoadedPolicy:
    """An untrained pocket agent: 0.1 M parameters, to which each of `AGENT_WORDS` is one token."""
    tokenizer = build_tokenizer(words=AGENT_WORDS, context=AGENT_CONTEXT)
    return _fresh(POCKET_AGENT, seed, tokenizer, context=AGENT_CONTEXT, width=64, depth=2)


def fresh_pocket_tools(seed: int) -> LoadedPolicy:
    """An untrained policy for pocket tool sets: 0.1 M parameters, to which each of `TOOL_WORDS` is one token."""
    tokenizer = build_tokenizer(words=TOOL_WORDS, context=AGENT_CONTEXT)
    return _fresh(POCKET_TOOLS, seed, tokenizer, context=AGENT_CONTEXT, width=64, depth=2)


def _fresh(name: str, seed: int, tokenizer: Any, *, context: int, width: int, depth: int) -> LoadedPolicy:
    config = LlamaConfig(
        vocab_size=len(tokenizer),
        hidden_size=width,
        intermediate_size=3 * width,
        num_hidden_layers=depth,
        num_attention_heads=4,
        num_key_value_heads=4,
        max_position_embeddings=context,
        tie_word_embeddings=False,
        pad_token_id=tokenizer.pad_token_id,
        bos_token_id=None,
        eos_token_id=tokenizer.eos_token_id,
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = LlamaForCausalLM(config)
    model.eval()
    return LoadedPolicy(model, tokenizer, content_hash(name, "fresh", seed), name, POCKET)


def load(spec: PolicyConfig | str, home: Path | str = ".", *, seed: int = 0) -> LoadedPolicy:
    """The policy that `spec` names; a folder is looked up below `home`, then as it stands.

    Raises `UserError` when a folder or hub model cannot be loaded.
    """
    config = PolicyConfig(name=spec) if isinstance(spec, str) else spec
    if config.name == POCKET:
        return fresh_pocket(seed)
    if config.name == POCKET_AGENT:
        return fresh_pocket_agent(seed)
    if config.name == POCKET_TOOLS:
        return fresh_pocket_tools(seed)
    if config.name == SMOLLM:
        from trainer.smollm import smollm_folder

        return replace(_from_folder(smollm_folder(Path(home))), name=SMOLLM, lineage="smollm2")
    for folder in (Path(home) / config.name, Path(config.name)):
        if (folder / ADAPTER).is_file():
            return load_adapter(folder, load(base_of(folder)["path"], home))
        if (folder / "config.json").is_file():
            return _from_folder(folder)
    return _from_hub(config)


def _from_folder(folder: Path) -> LoadedPolicy:
    try:
        model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32)
        tokenizer = AutoTokenizer.from_pretrained(folder, padding_side="left")
    except (OSError, ValueError) as error:
        raise UserError(f"no policy can be loaded from '{folder}': {error}; see: gradatim policies") from error
    model.eval()
    lineage = getattr(model.config, "gradatim_lineage", None) or str(model.config.model_type)
    name = getattr(model.config, "gradatim_name", None) or folder.name
    return LoadedPolicy(model, tokenizer, policy_identity(folder), name, lineage, str(folder))


def _from_hub(config: PolicyConfig) -> LoadedPolicy:
    try:
        model = AutoModelForCausalLM.from_pretrained(config.name, revision=config.revision)
        tokenizer = AutoTokenizer.from_pretrained(config.name, revision=config.revision, padding_side="left")
    except (OSError, ValueError) as error:
        first = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise UserError(
            f"policy '{config.name}' is neither pocket, pocket_agent, pocket_tools, smollm, a folder with config.json "
            f"nor a hub model that can be loaded ({first}); see: gradatim doctor"
        ) from error
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    model.eval()
    revision = getattr(model.config, "_commit_hash", None) or config.revision
    identity = content_hash(config.name, revision)
    return LoadedPolicy(model, tokenizer, identity, config.name, config.name.split("/")[0], config.name)


def save(policy: LoadedPolicy, folder: Path) -> LoadedPolicy:
    """`policy` written to `folder` as an ordinary transformers checkpoint; returns it with its new identity."""
    policy.model.config.gradatim_name = policy.name
    policy.model.config.gradatim_lineage = policy.lineage
    policy.model.save_pretrained(folder)
    policy.tokenizer.save_pretrained(folder)
    write_base(policy, folder)
    return replace(policy, policy_id=policy_identity(folder), path=str(folder))


def record(policy: LoadedPolicy, home: Path, *, parent: str | None = None, stage_id: str | None = None) -> Policy:
    """The warehouse row of a saved policy; its path is relative to `home` where it lies below it."""
    folder = Path(policy.path)
    local = folder.is_dir()
    relative = folder.resolve().relative_to(home.resolve()) if local and _below(folder, home) else folder
    return Policy(
        policy_id=policy.policy_id,
        name=policy.name,
        lineage=policy.lineage,
        parent=parent,
        stage_id=stage_id,
        weights_hash=weights_hash(folder) if local else "",
        path=str(relative),
        n_parameters=int(policy.model.num_parameters()),
    )


def _below(folder: Path, home: Path) -> bool:
    return folder.resolve().is_relative_to(home.resolve())
