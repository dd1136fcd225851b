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
    """Characters beyond the free ones, in all turns together, at which the cost is 1."""


@grader("brevity", version=1, kind=Kind.CONSTRAINT)
class Brevity:
    """`clip(sum(max(0, n - free)) / most, 0, 1)` over turns of n characters beside the call; undecided without turns.

    Turns that say little make no other cheaper.
    """

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
        n = sum(max(0, size - self._params.free) for size in sizes)
        return Grade(min(1.0, n / self._params.most), detail=f"{n} characters too many")
