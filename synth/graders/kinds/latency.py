"""Latency as a cost in time: nothing up to a free time, rising to 1."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from synth.graders.grader import Case, Grade, Kind, Params, Referee, grader


class LatencyParams(Params):
    """Settings of `latency`."""

    free_s: float = Field(0.0, ge=0)
    """Seconds that cost nothing."""
    most_s: float = Field(30.0, gt=0)
    """Seconds beyond the free ones at which the cost is 1."""


@grader("latency", version=1, kind=Kind.CONSTRAINT)
class Latency:
    """`clip((t - free_s) / most_s, 0, 1)` of a rollout's time t; undecided when it was not measured."""

    Settings = LatencyParams

    def __init__(self, params: LatencyParams, referee: Referee | None) -> None:
        self._params = params

    def grade(self, cases: Sequence[Case]) -> list[Grade]:
        """The cost of each latency."""
        return [self._grade(case.latency_s) for case in cases]

    def _grade(self, latency_s: float | None) -> Grade:
        if latency_s is None:
            return Grade(None, detail="no latency")
        return Grade(min(1.0, max(0.0, (latency_s - self._params.free_s) / self._params.most_s)))
