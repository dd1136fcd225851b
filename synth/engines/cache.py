"""Replies by content: the same engine asked the same thing is not asked twice, in this run or a later one."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Protocol

from synth.engines.protocol import Answered, Ask, Engine, Reply, as_they_come, in_order
from warehouse.records import FinishReason, JsonValue, canonical_json, content_hash


class Texts(Protocol):
    """Where replies are kept."""

    def get(self, key: str) -> str | None: ...

    def put(self, key: str, text: str) -> None: ...


class Cached:
    """`engine`, with its replies kept in `texts` as they come; failures are not kept."""

    def __init__(self, engine: Engine, texts: Texts) -> None:
        self._engine, self._texts = engine, texts
        self.name, self.version, self.lineage = engine.name, engine.version, engine.lineage

    def answer(self, asks: Sequence[Ask]) -> list[Answered]:
        """One answer for each ask, in order; only what was never answered reaches the engine."""
        return in_order(self.answers(asks))

    def answers(self, asks: Sequence[Ask]) -> Iterator[tuple[int, Answered]]:
        """The place of each ask and its answer, kept ones first; an ask made twice is answered once."""
        places: dict[str, list[int]] = {}
        for i, ask in enumerate(asks):
            places.setdefault(self.key(ask), []).append(i)
        waiting = []
        for key, same in places.items():
            kept = _read(self._texts.get(key), asks[same[0]].n)
            if kept is None:
                waiting.append(key)
            else:
                yield from ((i, kept) for i in same)
        for place, answered in as_they_come(self._engine, [asks[places[key][0]] for key in waiting]):
            key = waiting[place]
            if answered.failure is None:
                self._texts.put(key, _written(answered))
            first, *others = places[key]
            yield first, answered
            for i in others:
                yield i, replace(answered, cost=0.0, cached=answered.failure is None)

    def key(self, ask: Ask) -> str:
        """The identity of `ask` put to this engine."""
        schema = None if ask.schema is None else dict(ask.schema)
        return content_hash(
            "reply", self.name, self.version, self.lineage,
            ask.system, ask.prompt, ask.n, ask.temperature, ask.max_tokens, ask.seed, schema,
        )  # fmt: skip


def _written(answered: Answered) -> str:
    replies: JsonValue = [[reply.text, reply.n_tokens, str(reply.finish_reason)] for reply in answered.replies]
    return canonical_json({"replies": replies, "n_prompt_tokens": answered.n_prompt_tokens})


def _read(text: str | None, n: int) -> Answered | None:
    """The kept answer; none when there is none or it is not one."""
    if text is None:
        return None
    try:
        kept = json.loads(text)
        replies = tuple(Reply(str(said), int(tokens), FinishReason(end)) for said, tokens, end in kept["replies"])
        n_prompt_tokens = int(kept["n_prompt_tokens"])
    except (ValueError, TypeError, KeyError):
        return None
    return Answered(replies=replies, n_prompt_tokens=n_prompt_tokens, cached=True) if len(replies) == n else None
