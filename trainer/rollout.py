"""The one sampler: calibration, evaluation, canaries and GRPO all draw completions here."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import torch
from transformers import DynamicCache

from trainer.errors import Diverged
from trainer.policies import LoadedPolicy
from trainer.seeding import step_seed
from warehouse.records import FinishReason

MAX_ROWS = 1024
"""Sequences that one batch decodes at once."""


@dataclass(frozen=True, slots=True)
class Completion:
    """What the policy wrote; `mean_entropy` in nats a token at temperature 1; `latency_s` that of its batch."""

    text: str
    n_tokens: int
    finish_reason: FinishReason
    mean_entropy: float
    latency_s: float


@dataclass(frozen=True, slots=True)
class Tokens:
    """One sampled sequence: ids up to and with the end token, log-probabilities under the sampling distribution.

    `mean_entropy` in nats a token at temperature 1; NaN where the sampler tells none.
    """

    ids: list[int]
    logprobs: list[float]
    mean_entropy: float
    finished: bool


class Piece(NamedTuple):
    """Prompts that are decoded together, `n` completions each; what is drawn follows from the piece alone.

    `seed` is one stream for the whole piece, or a stream for each prompt.
    """

    prompts: tuple[str, ...]
    n: int
    temperature: float
    max_tokens: int
    seed: int | tuple[int, ...]


def sample(
    policy: LoadedPolicy,
    prompts: Sequence[str],
    *,
    n: int,
    temperature: float,
    max_tokens: int,
    seed: int,
) -> list[list[Completion]]:
    """`n` completions for every prompt, in order; the same (policy, prompts, settings, seed) give the same texts.

    `temperature` 0 is greedy. Prompts are decoded in pieces of like length, each prompt read once; every piece has a
    seed of its own, the first `seed` itself, so that it does not matter where and when each is drawn.
    """
    encoded = policy.encode(prompts)
    order = sorted(range(len(prompts)), key=lambda i: len(encoded[i]))
    per_batch = max(1, MAX_ROWS // n)
    places = [order[start : start + per_batch] for start in range(0, len(order), per_batch)]
    pieces = [
        Piece(tuple(prompts[i] for i in chosen), n, temperature, max_tokens, step_seed(seed, nth) if nth else seed)
        for nth, chosen in enumerate(places)
    ]
    results: list[list[Completion]] = [[] for _ in prompts]
    for chosen, groups in zip(places, drawn(policy, pieces), strict=True):
        for index, group in zip(chosen, groups, strict=True):
            results[index] = group
    return results


def drawn(policy: LoadedPolicy, pieces: Sequence[Piece]) -> list[list[list[Completion]]]:
    """The completions of every prompt of every piece: drawn here, or where the policy says."""
    if policy.elsewhere is not None:
        return policy.elsewhere(pieces)
    return [draw(policy, piece) for piece in pieces]


def draw(policy: LoadedPolicy, piece: Piece) -> list[list[Completion]]:
    """The completions of every prompt of one piece, in this process."""
    began, n = time.perf_counter(), piece.n
    one = None if isinstance(piece.seed, tuple) else torch.Generator().manual_seed(piece.seed)
    each = [_uniforms(seed, piece) for seed in piece.seed] if isinstance(piece.seed, tuple) else None
    rows = decode(
        policy.model,
        policy.encode(piece.prompts),
        n=n,
        temperature=piece.temperature,
        max_tokens=piece.max_tokens,
        end_ids=policy.end_ids,
        pad_id=policy.tokenizer.pad_token_id,
        generator=one,
        uniforms=torch.cat(each) if each else None,
    )
    latency = time.perf_counter() - began
    texts = policy.tokenizer.batch_decode([row.ids for row in rows], skip_special_tokens=True)
    completions = [
        Completion(text, len(row.ids), finish_reason(row), row.mean_entropy, latency)
        for text, row in zip(texts, rows, strict=True)
    ]
    return [completions[start : start + n] for start in range(0, len(completions), n)]


def _uniforms(seed: int, piece: Piece) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.rand((piece.n, piece.max_tokens), generator=generator, dtype=torch.float64)


def finish_reason(row: Tokens) -> FinishReason:
    """`stop` when the policy ended by itself, else `length`."""
    return FinishReason.STOP if row.finished else FinishReason.LENGTH


@torch.no_grad()
def decode(
    model: Any,
    prompts: Sequence[Sequence[int]],
    *,
    n: int,
    temperature: float,
    max_tokens: int,
    end_ids: Sequence[int],
    pad_id: int,
    generator: torch.Generator | None = None,
    uniforms: torch.Tensor | None = None,
) -> list[Tokens]:
    """`n` sampled sequences for each prompt, prompt by prompt: B prompts give B*n rows.

    Each prompt is read once and its cache repeated `n` times; finished rows leave the batch. Entropy is that
    of the policy's own distribution (temperature 1), log-probabilities are of the distribution sampled from.
    `uniforms` in [0, 1), [B*n, max_tokens], decide the draws in place of `generator`: a row then depends on its own
    alone, whatever else is in the batch.
    """
    was_training = model.training
    model.eval()
    device = next(model.parameters()).device
    width = max(len(ids) for ids in prompts)
    ids = torch.full((len(prompts), width), pad_id, dtype=torch.long)
    mask = torch.zeros((len(prompts), width), dtype=torch.long)
    for row, prompt in enumerate(prompts):
        ids[row, width - len(prompt) :] = torch.tensor(prompt)
        mask[row, width - len(prompt) :] = 1
    ids, mask = ids.to(device), mask.to(device)
    cache = DynamicCache(config=model.config)
    positions = (mask.cumsum(1) - 1).clamp(min=0)
    out = model(input_ids=ids, attention_mask=mask, position_ids=positions, cache=cache, logits_to_keep=1)
    cache.batch_repeat_interleave(n)
    mask = mask.repeat_interleave(n, 0)
    position = positions[:, -1:].repeat_interleave(n, 0)
    logits = out.logits[:, -1].float().repeat_interleave(n, 0)
    total = len(prompts) * n
    tokens = torch.full((total, max_tokens), pad_id, dtype=torch.long, device=device)
    logprobs = torch.zeros((total, max_tokens), device=device)
    entropies = torch.zeros((total, max_tokens), device=device)
    length = torch.zeros(total, dtype=torch.long, device=device)
    finished = torch.zeros(total, dtype=torch.bool, device=device)
    live = torch.arange(total, device=device)
    ends = torch.tensor(list(end_ids), device=device)
    for step in range(max_tokens):
        own = None if uniforms is None else uniforms[live, step]
        drawn, logp, entropy = _draw(logits, temperature, generator, own)
        tokens[live, step], logprobs[live, step], entropies[live, step] = drawn, logp, entropy
        length[live] += 1
        ended = torch.isin(drawn, ends)
        finished[live[ended]] = True
        if step + 1 == max_tokens or bool(ended.all()):
            break
        if bool(ended.any()):
            keep = (~ended).nonzero(as_tuple=True)[0]
            cache.batch_select_indices(keep)
            live, mask, position, drawn = live[keep], mask[keep], position[keep], drawn[keep]
        mask = torch.cat([mask, mask.new_ones((len(live), 1))], 1)
        position = position + 1
        out = model(input_ids=drawn[:, None], attention_mask=mask, position_ids=position, cache=cache)
        logits = out.logits[:, -1].float()
    model.train(was_training)
    means = (entropies.sum(1) / length.clamp(min=1)).tolist()
    lengths, done = length.tolist(), finished.tolist()
    all_tokens, all_logprobs = tokens.tolist(), logprobs.tolist()
    return [
        Tokens(all_tokens[i][: lengths[i]], all_logprobs[i][: lengths[i]], max(0.0, means[i]), done[i])
        for i in range(total)
    ]


def _draw(
    logits: torch.Tensor,
    temperature: float,
    generator: torch.Generator | None,
    uniforms: torch.Tensor | None = None,
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Sampled ids, their log-probabilities and the entropy at temperature 1, each [rows], from logits [rows, V].

    Raises `Diverged` when the policy's distribution is not one.
    """
    own = torch.log_softmax(logits, -1)
    probabilities = own.exp()
    entropy = -(probabilities * own).sum(-1)
    if not bool(torch.isfinite(entropy).all()):
        raise Diverged("the policy's logits are not finite numbers: its weights have diverged")
    if temperature == 0:
        drawn = own.argmax(-1)
        return drawn, torch.zeros_like(entropy), entropy
    if temperature != 1:
        own = torch.log_softmax(logits / temperature, -1)
        probabilities = own.exp()
    if uniforms is None:
        drawn = torch.multinomial(probabilities, 1, generator=generator).squeeze(1)
    else:
        reached = probabilities.double().cumsum(-1)
        drawn = (reached <= uniforms[:, None] * reached[:, -1:]).sum(-1).clamp(max=logits.shape[-1] - 1)
    return drawn, own.gather(1, drawn[:, None]).squeeze(1), entropy
