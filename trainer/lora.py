"""Low-rank adapters: a policy that is a frozen base and a small difference, saved without the base."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import torch

from trainer.config import LoraConfig
from trainer.weights import BASE, policy_identity
from warehouse.errors import UserError

if TYPE_CHECKING:
    from trainer.policies import LoadedPolicy

ADAPTER, REFERENCE = "adapter_config.json", "ref"
"""The file that marks a saved adapter, and TRL's frozen copy of it: a reference that a stage makes anew."""


def adapted(policy: LoadedPolicy, config: LoraConfig, *, path: str, seed: int) -> LoadedPolicy:
    """`policy` with an adapter that starts as no difference; one that has an adapter is returned as it is.

    `path` is where the base lies, below the home or as a hub name; only the adapter is trained and saved.
    Raises `UserError` without the `lora` extra, or when `targets` name no layer of the model.
    """
    if policy.base is not None:
        return policy
    peft = _peft()
    targets = config.targets if isinstance(config.targets, str) else list(config.targets)
    wanted = peft.LoraConfig(
        r=config.rank,
        lora_alpha=config.alpha,
        lora_dropout=config.dropout,
        target_modules=targets,
        task_type="CAUSAL_LM",
    )
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        try:
            model = peft.get_peft_model(policy.model, wanted)
        except ValueError as error:
            raise UserError(f"{str(error).splitlines()[0]}; see: [policy.lora] targets") from error
    return replace(policy, model=model, base={"path": path, "policy_id": policy.policy_id})


def load_adapter(folder: Path, base: LoadedPolicy) -> LoadedPolicy:
    """The policy of `base` and the adapter in `folder`; raises `UserError` when the base is another than it was."""
    told = base_of(folder)
    if told["policy_id"] != base.policy_id:
        raise UserError(
            f"adapter '{folder}' belongs to policy {told['policy_id'][:12]}, '{told['path']}' now holds "
            f"{base.policy_id[:12]}; see: gradatim policies"
        )
    model = _peft().PeftModel.from_pretrained(base.model, folder, is_trainable=True)
    model.eval()
    return replace(base, model=model, policy_id=policy_identity(folder), path=str(folder), base=told)


def base_of(folder: Path) -> dict[str, str]:
    """Path and policy id of the base of the adapter in `folder`; raises `UserError` when it does not say."""
    try:
        told: dict[str, str] = json.loads((folder / BASE).read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise UserError(f"adapter '{folder}' does not say what its base is: {error}; see: gradatim policies") from error
    return told


def write_base(policy: LoadedPolicy, folder: Path) -> None:
    """Say beside a saved adapter what its base is; a policy without adapter leaves nothing."""
    if policy.base is not None:
        (folder / BASE).write_text(json.dumps(policy.base, sort_keys=True), "utf-8")


def _peft() -> Any:
    try:
        import peft
    except ImportError as error:
        raise UserError("adapters need the extra 'lora'; see: pip install 'gradatim[lora]'") from error
    return peft
