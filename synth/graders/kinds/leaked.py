"""An answer that the prompt gives away under a mark such as "answer:", and that the completion takes from there."""

from __future__ import annotations

import re
from collections.abc import Sequence

from synth.graders.grader import Case, Grade, Kind, Params, Referee, grader
from warehouse.records import Task

_MARK = (
    r"(?:####|\\boxed\s*\{{|\b(?:answer|solution|result|gold|expected(?: output)?|ground[ _]truth)\b"
    r"(?:\s+(?:is|was))?\s*[:=]?)\s*[\"'`$*]*{gold}(?![\w.]?\w)"
)
MIN_REFERENCE = 24
"""Characters of a reference program below which finding it in the prompt means nothing."""


def leaks(task: Task) -> bool:
    """Whether a task's prompt states its gold under a mark, or holds its reference solution.

    The gold standing among the data of the question is no leak.
    """
    prompt = " ".join(task.prompt.split())
    if task.gold is not None and task.gold.strip():
        gold = re.escape(" ".join(task.gold.split()))
        if re.search(_MARK.format(gold=gold), prompt, re.IGNORECASE):
            return True
    reference = " ".join((task.reference or "").split())
    return len(reference) >= MIN_REFERENCE and reference in prompt


@grader("leaked", version=1, kind=Kind.ANTI_CHEAT)
class Leaked:
    """A cheat where a completion passed on a task whose prompt gives the answer away."""

    Settings = Params

    def __init__(self, params: Params, referee: Referee | None) -> None:
        self._known: dict[str, bool] = {}

    def grade(self, cases: Sequence[Case]) -> list[Grade]:
        """1 for honest cases; 0 and a cheat for the others."""
        return [self._grade(case) for case in cases]

    def _grade(self, case: Case) -> Grade:
        key = case.task.task_id
        if key not in self._known:
            self._known[key] = leaks(case.task)
        if self._known[key] and case.judged.reward:
            return Grade(0.0, cheat=True, detail="the prompt states the answer")
        return Grade(1.0)
