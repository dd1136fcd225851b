"""A rubric: weighted criteria that a completion meets or does not, by pattern or by asking the referee."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pydantic import Field, field_validator, model_validator

from synth.graders.ask import asked_yes_no, fit_referee
from synth.graders.grader import Case, Grade, Kind, Params, Referee, grader

MAX_CHARACTERS = 100_000


class Criterion(Params):
    """One criterion: exactly one of `matches`, `lacks`, `max_words`, `ask`."""

    weight: float = Field(1.0, gt=0)
    """Weight within the rubric."""
    matches: str | None = None
    """A regular expression that must be found."""
    lacks: str | None = None
    """A regular expression that must not be found."""
    max_words: int | None = Field(None, ge=1)
    """Most words."""
    ask: str | None = None
    """A question about the completion that the referee must answer with yes."""

    @field_validator("matches", "lacks")
    @classmethod
    def _compiles(cls, value: str | None) -> str | None:
        if value is not None:
            try:
                re.compile(value)
            except re.error as error:
                raise ValueError(f"not a regular expression: {error}") from None
        return value

    @model_validator(mode="after")
    def _one(self) -> Criterion:
        if sum(value is not None for value in (self.matches, self.lacks, self.max_words, self.ask)) != 1:
            raise ValueError("give exactly one of matches, lacks, max_words, ask")
        return self

    def meets(self, text: str) -> bool:
        """Whether `text` meets a criterion that needs no referee."""
        if self.matches is not None:
            return re.search(self.matches, text) is not None
        if self.lacks is not None:
            return re.search(self.lacks, text) is None
        return self.max_words is None or len(text.split()) <= self.max_words


class RubricParams(Params):
    """Settings of `rubric`."""

    criteria: tuple[Criterion, ...] = Field(min_length=1)
    """The criteria."""


@grader("rubric", version=1, kind=Kind.RUBRIC)
class Rubric:
    """The weighted share of criteria met; undecided when the referee gave no clear answer."""

    Settings = RubricParams

    def __init__(self, params: RubricParams, referee: Referee | None) -> None:
        self._criteria = params.criteria
        self._referee = fit_referee(referee, "rubric") if any(c.ask for c in params.criteria) else None

    def grade(self, cases: Sequence[Case]) -> list[Grade]:
        """The share of each case."""
        met = [self._met(criterion, cases) for criterion in self._criteria]
        grades = []
        for i in range(len(cases)):
            answers = [answers[i] for answers in met]
            if None in answers:
                grades.append(Grade(None, detail="the referee gave no clear answer"))
                continue
            total = sum(criterion.weight for criterion in self._criteria)
            got = sum(criterion.weight for criterion, answer in zip(self._criteria, answers, strict=True) if answer)
            grades.append(Grade(got / total))
        return grades

    def _met(self, criterion: Criterion, cases: Sequence[Case]) -> list[bool | None]:
        if criterion.ask is not None and self._referee is not None:
            return asked_yes_no(self._referee, criterion.ask, [(case.task, case.completion) for case in cases])
        return [criterion.meets(case.completion[:MAX_CHARACTERS]) for case in cases]
