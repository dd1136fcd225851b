"""A policy in this process as a text engine: every reply depends on its own ask alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import torch

from synth.engines import Answered, Ask, Reply
from trainer.policies import LoadedPolicy
from trainer.rollout import MAX_ROWS, Piece, drawn


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
            groups = [places[start : start + step] for start in range(0, len(places), step)]
            pieces = [
                Piece(tuple(asks[i].prompt for i in own), *kind, tuple(asks[i].seed for i in own)) for own in groups
            ]
            for own, given in zip(groups, drawn(self.policy, pieces), strict=True):
                for place, completions in zip(own, given, strict=True):
                    replies = tuple(Reply(one.text, one.n_tokens, one.finish_reason) for one in completions)
                    found[place] = Answered(replies=replies, n_prompt_tokens=len(encoded[place]))
        return found
