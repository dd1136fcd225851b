"""Money as a cost: the price of a rollout's tokens and tool calls against a budget."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from synth.graders.grader import Case, Grade, Kind, Params, Referee, grader


class CostParams(Params):
    """Settings of `cost`."""

    per_token: float = Field(1e-6, ge=0)
    """Price of a token, in any money."""
    per_tool_call: float = Field(0.0, ge=0)
    """Price of a tool call."""
    budget: float = Field(0.01, gt=0)
    """Price at which the cost is 1."""


@grader("cost", version=1, kind=Kind.CONSTRAINT)
class Cost:
    """`min(1, price / budget)` of a rollout; undecided without a token count."""

    Settings = CostParams

    def __init__(self, params: CostParams, referee: Referee | None) -> None:
        self._params = params

    def grade(self, cases: Sequence[Case]) -> list[Grade]:
        """The share of the budget that each case used."""
        return [self._grade(case) for case in cases]

    def _grade(self, case: Case) -> Grade:
        if case.n_tokens is None:
            return Grade(None, detail="no token count")
        calls = sum(1 for turn in case.turns if turn.get("tool_call") is not None)
        price = case.n_tokens * self._params.per_token + calls * self._params.per_tool_call
        return Grade(min(1.0, price / self._params.budget))
