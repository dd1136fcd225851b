"""An engine that says what a function tells it to: the models that these tests need are made of words."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from synth.engines import Answered, Ask, Reply
from warehouse.records import FinishReason


class Scripted:
    """Answers each ask by `say(ask, k)`, the k-th reply; a reply of `None` makes the whole ask a failure."""

    name, version = "scripted", "1"

    def __init__(self, say: Callable[[Ask, int], str | None], *, lineage: str = "paper") -> None:
        self._say, self.lineage = say, lineage
        self.asked: list[Ask] = []

    def answer(self, asks: Sequence[Ask]) -> list[Answered]:
        self.asked += asks
        return [self._one(ask) for ask in asks]

    def _one(self, ask: Ask) -> Answered:
        texts = [self._say(ask, k) for k in range(ask.n)]
        if any(text is None for text in texts):
            return Answered(failure="HTTP 500")
        return Answered(
            replies=tuple(Reply(str(text), len(str(text)), FinishReason.STOP) for text in texts), cost=0.5 * ask.n
        )
