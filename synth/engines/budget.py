"""Budgets in tokens, money and minutes: a ceiling that no question may cross, and a forecast of where it ends."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from synth.engines.config import BudgetConfig, ModelConfig
from synth.engines.protocol import Answered, Ask, Engine, as_they_come, in_order

SPENT = "budget: "
"""How the failure of an ask begins that was not sent because a ceiling was reached."""
TIMED = 16
"""Most asks sent together under a ceiling in minutes, which is looked at before each lot."""


class Budget(NamedTuple):
    """Ceilings, or what was used; none for no ceiling."""

    tokens: float | None = None
    money: float | None = None
    minutes: float | None = None


class Purse:
    """What all engines of one run share: ceilings, and what was used so far. Safe from threads."""

    def __init__(self, ceiling: BudgetConfig | None = None, *, clock: Callable[[], float] = time.monotonic) -> None:
        ceiling = ceiling or BudgetConfig()
        self.ceiling = Budget(ceiling.tokens, ceiling.money, ceiling.minutes)
        self._clock, self._began, self._lock = clock, clock(), threading.Lock()
        self._tokens = 0
        self._money = 0.0

    @property
    def used(self) -> Budget:
        """Tokens, money and minutes used so far."""
        with self._lock:
            return Budget(self._tokens, self._money, (self._clock() - self._began) / 60)

    def spend(self, tokens: int, money: float) -> None:
        """Counts what an answer took."""
        with self._lock:
            self._tokens += tokens
            self._money += money

    def exhausted(self, tokens: float = 0, money: float = 0) -> str | None:
        """Which ceiling `tokens` and `money` more would cross, if one."""
        used = self.used
        more = Budget((used.tokens or 0) + tokens, (used.money or 0) + money, used.minutes)
        for name, ceiling, value in zip(Budget._fields, self.ceiling, more, strict=True):
            if ceiling is not None and (value or 0) > ceiling:
                return f"{SPENT}{name}"
        return None

    def forecast(self, done: int, total: int) -> Budget:
        """What `total` pieces of work will have used, from what `done` of them used; unknown (none) for done < 1."""
        if done < 1:
            return Budget()
        return Budget(*[(value or 0) * total / done for value in self.used])


class Budgeted:
    """`engine` under the ceilings of `purse`; a prompt that a server must be sent again is counted, not foreseen.

    Each lot of asks is sent only when its worst case (every reply as long as it may be) fits below the ceilings, so
    that they are never crossed; what does not fit comes back as a failure that begins with `budget`.
    """

    def __init__(self, engine: Engine, purse: Purse, config: ModelConfig) -> None:
        self._engine, self._purse = engine, purse
        self._max_tokens = config.max_tokens
        self._price_in, self._price_out = config.price_in / 1e6, config.price_out / 1e6
        self.name, self.version, self.lineage = engine.name, engine.version, engine.lineage

    def answer(self, asks: Sequence[Ask]) -> list[Answered]:
        """One answer for each ask, in order."""
        return in_order(self.answers(asks))

    def answers(self, asks: Sequence[Ask]) -> Iterator[tuple[int, Answered]]:
        """The place of each ask and its answer, as they come."""
        start = 0
        while start < len(asks):
            end, reason = self._fitting(asks, start)
            if end == start:
                yield from ((i, Answered(failure=reason)) for i in range(start, len(asks)))
                return
            for place, answered in as_they_come(self._engine, asks[start:end]):
                said = sum(reply.n_tokens for reply in answered.replies)
                tokens = answered.n_prompt_tokens + answered.n_lost_tokens + said
                self._purse.spend(0 if answered.cached else tokens, answered.cost)
                yield start + place, answered
            start = end

    def _fitting(self, asks: Sequence[Ask], start: int) -> tuple[int, str | None]:
        """The end of the longest lot from `start` that fits, and the ceiling that ends it."""
        tokens, money, end = 0, 0.0, start
        most = start + TIMED if self._purse.ceiling.minutes is not None else len(asks)
        while end < min(most, len(asks)):
            n_in, n_out = worst_case(asks[end], self._max_tokens)
            tokens, money = tokens + n_in + n_out, money + n_in * self._price_in + n_out * self._price_out
            reason = self._purse.exhausted(tokens, money)
            if reason is not None:
                return end, reason
            end += 1
        return end, None


def worst_case(ask: Ask, max_tokens: int | None = None) -> tuple[int, int]:
    """The most prompt and generated tokens that an ask can take: a token holds at least one byte.

    `max_tokens` of the model's configuration stands for the ask's own.
    """
    n_in = len((ask.system or "").encode()) + len(ask.prompt.encode()) + 64
    return n_in, ask.n * (ask.max_tokens if max_tokens is None else max_tokens)
