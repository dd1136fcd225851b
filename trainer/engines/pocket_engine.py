"""A policy in this process as a text engine: every reply depends on its own ask alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import torch

from synth.engines import Answered, Ask, Reply
from trainer.policies import LoadedPolicy
from trainer.rollout import MAX_ROWS, decode, finish_reason


class _Kind(NamedTuple):
    """Asks that one batch may hold."""

    n: int
    temperature: float
    max_tokens: int


class PolicyEngine:
    """`policy` behind the engine protocol; its version is the identity of its weights.

    The draws of an ask come from a stream of its own seed, so that the same ask gives the same replies whatever it
    is asked together with, to the rounding of the arithmetic. `system` and `schema` are ignored.
    """

    def __init__(self, policy: LoadedPolicy, *, threads: int | None = None) -> None:
        self.policy = policy
        if threads is not None:
            torch.set_num_threads(threads)
        self.name, self.lineage, self.version = policy.name, policy.lineage, policy.policy_id[:12]

    def answer(self, asks: Sequence[Ask]) -> list[Answered]:
        """The replies to each ask, in order; one that does not fit the context has none, with the reason."""
        encoded = self.policy.encode([ask.prompt for ask in asks])
        found: list[Answered] = [Answered()] * len(asks)
        kinds: dict[_Kind, list[int]] = defaultdict(list)
        for place, ask in enumerate(asks):
            room = self.policy.model.config.max_position_embeddings - ask.max_tokens
            if not 0 < len(encoded[place]) <= room:
                found[place] = Answered(
                    n_prompt_tokens=len(encoded[place]),
                    failure=f"the prompt has {len(encoded[place])} tokens, must be 1 to {room}",
                )
            else:
                kinds[_Kind(ask.n, ask.temperature, ask.max_tokens)].append(place)
        for kind, places in kinds.items():
            places.sort(key=lambda place: len(encoded[place]))
            step = max(1, MAX_ROWS // kind.n)
            for start in range(0, len(places), step):
                own = places[start : start + step]
                replies = self._replies([encoded[i] for i in own], [asks[i].seed for i in own], kind)
                for place, given in zip(own, replies, strict=True):
                    found[place] = Answered(replies=given, n_prompt_tokens=len(encoded[place]))
        return found

    def _replies(self, prompts: list[list[int]], seeds: list[int], kind: _Kind) -> list[tuple[Reply, ...]]:
        policy = self.policy
        rows = decode(
            policy.model,
            prompts,
            n=kind.n,
            temperature=kind.temperature,
            max_tokens=kind.max_tokens,
            end_ids=policy.end_ids,
            pad_id=policy.tokenizer.pad_token_id,
            uniforms=torch.cat([_uniforms(seed, kind) for seed in seeds]),
        )
        texts = policy.tokenizer.batch_decode([row.ids for row in rows], skip_special_tokens=True)
        replies = [Reply(text, len(row.ids), finish_reason(row)) for text, row in zip(texts, rows, strict=True)]
        return [tuple(replies[start : start + kind.n]) for start in range(0, len(replies), kind.n)]


def _uniforms(seed: int, kind: _Kind) -> torch.Tensor:
    generator = torch.Generator().manual_seed(seed)
    return torch.rand((kind.n, kind.max_tokens), generator=generator, dtype=torch.float64)
