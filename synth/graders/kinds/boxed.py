r"""The format of a boxed answer: exactly one final `\boxed`, on which two readers must agree."""

from __future__ import annotations

from collections.abc import Sequence

from synth.graders.grader import Case, Grade, Kind, Params, Referee, grader
from synth.math import extract

OPENING = "\\boxed{"


def last_box(text: str) -> str | None:
    r"""What the last `\boxed{` holds, read from the right by matching braces; `None` when it has no end.

    A second reader, which shares no code with `synth.math.extract`.

    >>> last_box(r"\boxed{1} then \boxed{\frac{1}{2}}")
    '\\frac{1}{2}'
    """
    start = text.rfind(OPENING)
    if start < 0:
        return None
    depth = 1
    for place in range(start + len(OPENING), len(text)):
        escaped = text[place - 1] == "\\" and text[place - 2] != "\\"
        depth += 0 if escaped else (text[place] == "{") - (text[place] == "}")
        if depth == 0:
            return text[start + len(OPENING) : place].strip()
    return None


class BoxedParams(Params):
    """Settings of `boxed`."""

    single: bool = True
    """Whether there must be no more than one box."""


@grader("boxed", version=1, kind=Kind.CONSTRAINT)
class Boxed:
    """1 when both readers find the same boxed answer, else 0."""

    Settings = BoxedParams

    def __init__(self, params: BoxedParams, referee: Referee | None) -> None:
        self._params = params

    def grade(self, cases: Sequence[Case]) -> list[Grade]:
        """Whether each completion keeps the format."""
        return [self._grade(case) for case in cases]

    def _grade(self, case: Case) -> Grade:
        first, second = extract(case.completion, truncated=case.truncated).answer, last_box(case.completion)
        if first is None or first != second:
            return Grade(0.0, detail="no box, or two readers disagree about it")
        if self._params.single and case.completion.count(OPENING) > 1:
            return Grade(0.0, detail="more than one box")
        return Grade(1.0)
