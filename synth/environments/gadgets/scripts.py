"""Scripted agents for pocket tool sets: one that keeps to the goal and its rules, and one in a hurry."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

from synth.environments.episode import Turn
from synth.environments.gadgets.kit import BUSY
from synth.environments.running import Policy
from synth.environments.tools import Tool


class Script:
    """A policy for one episode from a generator of calls; what it knows it was told first, or has found."""

    def __init__(self, hurried: random.Random | None) -> None:
        self._hurried, self._calls = hurried, self._steps()
        self.seen = ""

    def __call__(self, turns: Sequence[Turn], tools: Sequence[Tool]) -> str:
        """The next call."""
        self.seen = str(turns[-1].get("observation", turns[-1].get("text", "")))
        return next(self._calls)

    def _steps(self) -> Iterator[str]:
        listed, _, goal = self.seen.rpartition("?")
        names = dict(one.split(" ") for one in listed.split(",") if " " in one)
        *asked, key = goal.split(" ")
        rng = self._hurried
        if "note" in asked and (rng is None or rng.random() < 0.5):
            yield from self._found("note", names)
            yield f"{names['note']} {key}"
        source = "past" if rng is not None and rng.random() < 0.5 else "now"
        yield from self._found(source, names)
        yield f"{names[source]} {key}"
        while rng is None and self.seen == BUSY:
            yield f"{names[source]} {key}"
        figure = self.seen if self.seen != BUSY else str(rng.randint(10, 99) if rng else 10)
        if "turn" in asked:
            yield from self._found("turn", names)
            yield f"{names['turn']} {figure}"
            figure = self.seen
        yield f"say {figure}"
        yield "done"

    def _found(self, meaning: str, names: dict[str, str]) -> Iterator[str]:
        """Asks for the name of a tool that was not listed."""
        if meaning not in names:
            yield f"find {meaning}"
            names[meaning] = self.seen


def careful() -> Policy:
    """Takes the figure of today, asks again while the tool is busy, notes and converts where that is asked for."""
    return Script(None)


def hasty(rng: random.Random) -> Policy:
    """Takes what is out of date half the time, gives up on a busy tool, and leaves out every other note."""
    return Script(rng)
