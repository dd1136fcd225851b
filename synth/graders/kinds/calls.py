"""Tool calls as a cost: nothing up to a free number, rising to 1; calls that were refused may count double."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from synth.graders.grader import Case, Grade, Kind, Params, Referee, grader


class CallsParams(Params):
    """Settings of `calls`."""

    free: int = Field(4, ge=0)
    """Calls that cost nothing."""
    most: int = Field(30, gt=0)
    """Calls beyond the free ones at which the cost is 1."""
    refused_weight: float = Field(1.0, ge=0)
    """What one refused call (unreadable, unknown tool, wrong arguments) counts."""


@grader("calls", version=1, kind=Kind.CONSTRAINT)
class Calls:
    """`clip((n - free) / most, 0, 1)` of a rollout's n weighted calls; undecided for one without turns."""

    Settings = CallsParams

    def __init__(self, params: CallsParams, referee: Referee | None) -> None:
        self._params = params

    def grade(self, cases: Sequence[Case]) -> list[Grade]:
        """The cost of each rollout's calls."""
        return [self._grade(case) for case in cases]

    def _grade(self, case: Case) -> Grade:
        said = [turn for turn in case.turns if turn.get("role") == "assistant"]
        if not said:
            return Grade(None, detail="no turns")
        refused = sum(turn.get("error") == "refused" for turn in said)
        n = len(said) + (self._params.refused_weight - 1.0) * refused
        return Grade(min(1.0, max(0.0, (n - self._params.free) / self._params.most)), detail=f"{len(said)} calls")
