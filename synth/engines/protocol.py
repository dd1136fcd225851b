"""Text engines: whatever answers questions in text, behind one protocol, with its lineage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from warehouse.records import FinishReason, JsonValue


@dataclass(frozen=True, slots=True, kw_only=True)
class Ask:
    """One question; the same (engine, ask) is the same content, and may be answered from a cache.

    `temperature` 0 is greedy; `max_tokens` bounds one reply; `schema` is a JSON schema that engines with
    structured output enforce and others ignore.
    """

    prompt: str
    system: str | None = None
    n: int = 1
    temperature: float = 1.0
    max_tokens: int = 512
    seed: int = 0
    schema: Mapping[str, JsonValue] | None = None


@dataclass(frozen=True, slots=True)
class Reply:
    """One text that a model wrote, in `n_tokens` tokens."""

    text: str
    n_tokens: int
    finish_reason: FinishReason


@dataclass(frozen=True, slots=True, kw_only=True)
class Answered:
    """What came back for one ask: exactly `ask.n` replies, or none and the reason why the engine gave none.

    A `failure` is the infrastructure's, never the model's: it says nothing about a task. `cost` is in the
    engine's money, 0 for a local one and for a reply from the cache. `n_lost_tokens` were generated and came to no
    reply.
    """

    replies: tuple[Reply, ...] = ()
    n_prompt_tokens: int = 0
    n_lost_tokens: int = 0
    cost: float = 0.0
    cached: bool = False
    failure: str | None = None


class Engine(Protocol):
    """A model that answers in text. `lineage` is its family of weights, `version` what else decides its replies."""

    name: str
    version: str
    lineage: str

    def answer(self, asks: Sequence[Ask]) -> list[Answered]:
        """One `Answered` for each ask, in order; never raises for a failure of the engine."""


@runtime_checkable
class Streaming(Protocol):
    """An engine that hands over each answer when it is there, so that nothing paid for is lost with the process."""

    def answers(self, asks: Sequence[Ask]) -> Iterator[tuple[int, Answered]]:
        """The place of each ask and its answer, in any order."""


AT_ONCE = 16
"""Asks handed together to an engine that does not stream."""


def as_they_come(engine: Engine, asks: Sequence[Ask]) -> Iterator[tuple[int, Answered]]:
    """The place of each ask and its answer, as early as the engine gives them."""
    if isinstance(engine, Streaming):
        yield from engine.answers(asks)
        return
    for start in range(0, len(asks), AT_ONCE):
        yield from enumerate(engine.answer(asks[start : start + AT_ONCE]), start)


def in_order(answers: Iterator[tuple[int, Answered]]) -> list[Answered]:
    """Answers by place."""
    return [answered for _, answered in sorted(answers, key=lambda pair: pair[0])]
