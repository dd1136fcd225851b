"""The warm start: supervised learning on clean demonstrations until the policy has something to reinforce."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

import numpy as np
import torch

from synth.demonstrations import demonstrations, level_weights
from trainer.config import WarmStartConfig
from trainer.policies import LoadedPolicy
from warehouse.errors import UserError

WARMUP_STEPS = 20


class Lesson(NamedTuple):
    """One sequence to learn from: its token ids, and 1 where the policy is to write the token itself, else 0."""

    ids: list[int]
    mask: list[int]


class WarmStart(NamedTuple):
    """The policy after a warm start, and its last loss in nats a token."""

    policy: LoadedPolicy
    loss: float


def clean_pairs(families: Sequence[str], config: WarmStartConfig, *, seed: int) -> list[tuple[str, str]]:
    """(prompt, completion) pairs for `warm_start`: right answers to train prompts, shared by `config`'s weights.

    About `n_steps * batch_size` of them; a family that is weighted but not in `families` raises `UserError`.
    """
    unknown = sorted(set(config.family_weights) - set(families))
    if unknown:
        raise UserError(
            f"family_weights name {', '.join(unknown)}, the campaign's families are {', '.join(families)}; "
            "see: [warm_start] family_weights"
        )
    shares = {name: config.family_weights.get(name, 1.0) for name in families}
    n_pairs = config.n_steps * config.batch_size
    pairs: list[tuple[str, str]] = []
    for name, share in shares.items():
        n = round(n_pairs * share / sum(shares.values()))
        weights = level_weights([name], config.level_weights)
        pairs += [(made.prompt, made.completion) for made in demonstrations(weights, seed=seed, n=n)]
    return pairs


def warm_start(
    policy: LoadedPolicy,
    pairs: Iterable[tuple[str, str]],
    config: WarmStartConfig,
    *,
    seed: int,
    progress: Callable[[int, float], None] | None = None,
) -> WarmStart:
    """`policy` trained in place on (prompt, completion) pairs, each seen about once.

    Only completion tokens and the end token carry loss. `progress(step, loss)` is called after every step.
    Raises `UserError` when there are fewer pairs than one batch.
    """
    rows = [
        Lesson([*prompt, *answer], [0] * len(prompt) + [1] * len(answer))
        for prompt, answer in token_rows(policy, list(pairs))
    ]
    return imitate(policy, rows, config, seed=seed, progress=progress)


def imitate(
    policy: LoadedPolicy,
    rows: Sequence[Lesson],
    config: WarmStartConfig,
    *,
    seed: int,
    progress: Callable[[int, float], None] | None = None,
) -> WarmStart:
    """`policy` trained in place on the tokens of lessons that its own hand would have written.

    Raises `UserError` when there are fewer lessons than one batch.
    """
    if config.n_steps == 0:
        return WarmStart(policy, math.nan)
    if len(rows) < config.batch_size:
        raise UserError(
            f"{len(rows)} demonstrations are fewer than one batch of {config.batch_size}; see: [warm_start] batch_size"
        )
    torch.set_num_threads(config.threads)
    order = _order(len(rows), config.n_steps * config.batch_size, seed)
    model = policy.model.train()
    optimizer = torch.optim.AdamW(model.parameters(), lr=config.learning_rate, betas=(0.9, 0.98), weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimizer, _rate)
    loss = torch.tensor(math.nan)
    for step in range(config.n_steps):
        chosen = order[step * config.batch_size : (step + 1) * config.batch_size]
        ids, mask, labels = _batch([rows[i] for i in chosen], policy.tokenizer.pad_token_id)
        logits = model(input_ids=ids, attention_mask=mask).logits[:, :-1]
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), labels[:, 1:].flatten(), ignore_index=-100)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        if progress is not None:
            progress(step, loss.item())
    model.eval()
    return WarmStart(policy, loss.item())


def token_rows(policy: LoadedPolicy, pairs: Sequence[tuple[str, str]]) -> list[tuple[list[int], list[int]]]:
    """Token ids of every prompt as the policy reads it, and of its completion with the end token."""
    prompts = policy.encode([prompt for prompt, _ in pairs])
    answers = policy.tokenizer([answer for _, answer in pairs], add_special_tokens=False)["input_ids"]
    end = policy.tokenizer.eos_token_id
    return [(prompt, [*answer, end]) for prompt, answer in zip(prompts, answers, strict=True)]


def _order(n_rows: int, n_needed: int, seed: int) -> list[int]:
    rng = np.random.default_rng(seed)
    passes = -(-n_needed // n_rows)
    order = np.concatenate([rng.permutation(n_rows) for _ in range(passes)])
    return [int(i) for i in order[:n_needed]]


def _batch(rows: Sequence[Lesson], pad: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Right-padded ids, mask and labels, each [rows, width]; labels are -100 where the policy does not write."""
    width = max(len(row.ids) for row in rows)
    ids = torch.full((len(rows), width), pad, dtype=torch.long)
    mask = torch.zeros_like(ids)
    labels = torch.full_like(ids, -100)
    for i, (own, written) in enumerate(rows):
        length = len(own)
        ids[i, :length] = torch.tensor(own)
        mask[i, :length] = 1
        labels[i, :length] = torch.where(torch.tensor(written) == 1, ids[i, :length], -100)
    return ids, mask, labels


def _rate(step: int) -> float:
    """Share of the peak rate: warm-up, then constant.

    A rate that decays ends in a sharper place with a higher pass rate, which GRPO then loses within 60 steps.
    """
    return min(1.0, (step + 1) / WARMUP_STEPS)
