"""Length as a cost: nothing up to a free length, rising to 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from pydantic import Field, model_validator

from synth.graders.grader import Case, Grade, Kind, Params, Referee, grader


class LengthParams(Params):
    """Settings of `length`."""

    unit: Literal["tokens", "characters"] = "tokens"
    """What is counted; a case without a token count is undecided under `tokens`."""
    free: int = Field(0, ge=0)
    """Length that costs nothing."""
    most: int = Field(1024, ge=1)
    """Length from which the cost is 1."""

    @model_validator(mode="after")
    def _rising(self) -> LengthParams:
        if self.free >= self.most:
            raise ValueError(f"free is {self.free}, must be below most, {self.most}")
        return self


@grader("length", version=1, kind=Kind.CONSTRAINT)
class Length:
    """`clip((n - free) / (most - free), 0, 1)` of a completion's length n."""

    Settings = LengthParams

    def __init__(self, params: LengthParams, referee: Referee | None) -> None:
        self._params = params

    def grade(self, cases: Sequence[Case]) -> list[Grade]:
        """The cost of each length."""
        return [self._grade(case) for case in cases]

    def _grade(self, case: Case) -> Grade:
        length = case.n_tokens if self._params.unit == "tokens" else len(case.completion)
        if length is None:
            return Grade(None, detail="no token count")
        free, most = self._params.free, self._params.most
        return Grade(min(1.0, max(0.0, (length - free) / (most - free))))
