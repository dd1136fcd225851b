"""Progress messages: whether whoever waits for a long rollout is told now and then what is being done."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import Field

from synth.environments.calls import beside
from synth.graders.grader import Case, Grade, Kind, Params, Referee, grader


class ProgressParams(Params):
    """Settings of `progress`."""

    every: int = Field(5, ge=1)
    """Turns within which one message is due."""
    least_words: int = Field(3, ge=1)
    """Different words beside the call that make a message."""


@grader("progress", version=1, kind=Kind.CONSTRAINT)
class Progress:
    """Share of a rollout's whole stretches of `every` turns that hold a message; one said again is none.

    Signs and the case of letters make no other message. 1 for a rollout shorter than a stretch, undecided without
    turns.
    """

    Settings = ProgressParams

    def __init__(self, params: ProgressParams, referee: Referee | None) -> None:
        self._params = params

    def grade(self, cases: Sequence[Case]) -> list[Grade]:
        """The share of each rollout."""
        return [self._grade(case) for case in cases]

    def _grade(self, case: Case) -> Grade:
        said = [beside(str(turn.get("text", ""))) for turn in case.turns if turn.get("role") == "assistant"]
        if not said:
            return Grade(None, detail="no turns")
        every, seen, told = self._params.every, set[tuple[str, ...]](), list[bool]()
        for text in said:
            words = tuple(re.findall(r"\w+", text.casefold()))
            told.append(words not in seen and len(set(words)) >= self._params.least_words)
            seen.add(words)
        stretches = [any(told[start : start + every]) for start in range(0, len(told) - every + 1, every)]
        if not stretches:
            return Grade(1.0, detail="too short to need one")
        return Grade(sum(stretches) / len(stretches), detail=f"{sum(stretches)} of {len(stretches)} stretches")
