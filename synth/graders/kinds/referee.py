"""A model as judge: the completion against the reference, in both orders, between planted answers.

Covered: position bias (a judge that changes its mind when the order changes is not heard), a judge that cannot tell
(planted right and empty answers must come out right, else the whole batch is undecided), replies that an answer
dictates (a reply counts only with the nonce of its question). Not covered: taste that the judge shares with the policy;
the lineage rule refuses the worst of it.
"""

from __future__ import annotations

from collections.abc import Sequence

from synth.graders.ask import better, fit_referee
from synth.graders.grader import Case, Grade, Kind, Params, Referee, grader


class RefereeParams(Params):
    """Settings of `referee`."""

    question: str = "Which answer solves the task better?"
    """What is asked of the two answers."""


@grader("referee", version=1, kind=Kind.JUDGE)
class RefereeGrader:
    """1 when the completion is found no worse than the reference in both orders, 0 when worse in both."""

    Settings = RefereeParams

    def __init__(self, params: RefereeParams, referee: Referee | None) -> None:
        self._question, self._referee = params.question, fit_referee(referee, "referee")

    def grade(self, cases: Sequence[Case]) -> list[Grade]:
        """The referee's preference for each case that has a reference; undecided for the others."""
        comparable = [case for case in cases if case.task.reference is not None]
        if not comparable:
            return [Grade(None, detail="no reference to compare with") for _ in cases]
        planted = (comparable[0].task, comparable[0].task.reference or "", "I do not know.")
        pairs = [planted, *((case.task, case.completion, case.task.reference or "") for case in comparable)]
        forward = better(self._referee, self._question, pairs)
        backward = better(self._referee, self._question, [(task, second, first) for task, first, second in pairs])
        if (forward[0], backward[0]) != ("first", "second"):
            return [Grade(None, detail="the referee missed a planted answer") for _ in cases]
        found = iter(zip(forward[1:], backward[1:], strict=True))
        return [
            _grade(*next(found)) if case.task.reference is not None else Grade(None, detail="no reference")
            for case in cases
        ]


def _grade(forward: str | None, backward: str | None) -> Grade:
    if forward in ("first", "tie") and backward in ("second", "tie"):
        return Grade(1.0)
    if forward == "second" and backward == "first":
        return Grade(0.0)
    return Grade(None, detail="the referee is of two minds when the order changes")
