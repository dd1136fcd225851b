"""Compliance: the rules of an agent task on tools that must and must not be called, held against the log of turns."""

from __future__ import annotations

from collections.abc import Sequence

from synth.environments.compliance import violations
from synth.graders.grader import Case, Grade, Kind, Params, Referee, grader


@grader("compliance", version=1, kind=Kind.ANTI_CHEAT)
class Compliance:
    """A cheat where a rollout breaks a rule of its task, `params["rules"]`; 1 where it keeps them or has none."""

    Settings = Params

    def __init__(self, params: Params, referee: Referee | None) -> None:
        self._params = params

    def grade(self, cases: Sequence[Case]) -> list[Grade]:
        """1 for honest cases; 0 and a cheat for the others."""
        broken = [violations(case.task, case.turns) for case in cases]
        return [Grade(0.0, cheat=True, detail=", ".join(rules)[:200]) if rules else Grade(1.0) for rules in broken]
