"""Brevity of a rollout's messages as a cost: nothing up to a free length beside each call, rising to 1."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from synth.environments.calls import beside
from synth.graders.grader import Case, Grade, Kind, Params, Referee, grader


class BrevityParams(Params):
    """Settings of `brevity`."""

    free: int = Field(200, ge=0)
    """Characters beside the call of a turn that cost nothing."""
    most: int = Field(2_000, gt=0)
    """Characters a turn beyond the free ones at which the cost is 1."""


@grader("brevity", version=1, kind=Kind.CONSTRAINT)
class Brevity:
    """`clip((n - free) / most, 0, 1)` of the mean characters n beside a rollout's calls; undecided without turns."""

    Settings = BrevityParams

    def __init__(self, params: BrevityParams, referee: Referee | None) -> None:
        self._params = params

    def grade(self, cases: Sequence[Case]) -> list[Grade]:
        """The cost of each rollout's words."""
        return [self._grade(case) for case in cases]

    def _grade(self, case: Case) -> Grade:
        sizes = [len(beside(str(turn.get("text", "")))) for turn in case.turns if turn.get("role") == "assistant"]
        if not sizes:
            return Grade(None, detail="no turns")
        n = sum(sizes) / len(sizes)
        return Grade(
            min(1.0, max(0.0, (n - self._params.free) / self._params.most)), detail=f"{n:.0f} characters a turn"
        )
