"""The verifier's word as a score: right or wrong, or the share of tests that passed."""

from __future__ import annotations

from collections.abc import Sequence

from synth.graders.grader import Case, Grade, Kind, Params, Referee, grader


class VerifierParams(Params):
    """Settings of `verifier`."""

    partial: bool = False
    """Whether a wrong program scores the share of its tests that passed."""


@grader("verifier", version=1, kind=Kind.VERIFIER)
class Verifier:
    """1 for a completion that passed, 0 for one that did not, undecided where the judge was."""

    Settings = VerifierParams

    def __init__(self, params: VerifierParams, referee: Referee | None) -> None:
        self._partial = params.partial

    def grade(self, cases: Sequence[Case]) -> list[Grade]:
        """The judge's word on each case."""
        return [self._grade(case) for case in cases]

    def _grade(self, case: Case) -> Grade:
        reward = case.judged.reward
        if reward is None or not self._partial:
            return Grade(reward)
        return Grade(max(reward, case.judged.parts.get("tests_passed", 0.0)))
