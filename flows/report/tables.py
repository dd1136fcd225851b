"""The report's tables as rows ready to print."""

from __future__ import annotations

from typing import NamedTuple

from flows.report.facts import Arm, Facts, by_family
from warehouse.records import Evaluation


class Headline(NamedTuple):
    """One figure at the head of the report."""

    name: str
    before: Evaluation
    after: Evaluation
    baseline: Evaluation | None

    @property
    def change(self) -> float:
        """After minus before."""
        return self.after.value - self.before.value


class FamilyRow(NamedTuple):
    """One family's pass@1 and pass@k before and after, and the baseline's pass@1 after."""

    family: str
    before: Evaluation
    after: Evaluation
    wide_before: Evaluation | None
    wide_after: Evaluation | None
    baseline: Evaluation | None


class Cost(NamedTuple):
    """What one part of the campaign cost."""

    what: str
    n_steps: int | None
    n_rollouts: int | None
    duration_s: float | None
    note: str


def headline(facts: Facts) -> list[Headline]:
    """pass@1, pass@k and entropy before and after, with the baseline's last figure."""
    found = []
    for name in ("pass@1", facts.arm.pass_at_k(), "entropy"):
        figures = facts.arm.figures(name) if name else []
        if name and figures:
            other = facts.baseline.figures(name) if facts.baseline else []
            found.append(Headline(name, figures[0], figures[-1], other[-1] if other else None))
    return found


def families(facts: Facts) -> list[FamilyRow]:
    """One row a family, by name."""
    wide_name = facts.arm.pass_at_k()
    wide = by_family(facts.arm, wide_name) if wide_name else {}
    other = by_family(facts.baseline, "pass@1") if facts.baseline else {}
    return [
        FamilyRow(family, found[0], found[-1], _end(wide, family, 0), _end(wide, family, -1), _end(other, family, -1))
        for family, found in by_family(facts.arm, "pass@1").items()
    ]


def costs(facts: Facts) -> list[Cost]:
    """What synthesis, each stage of each arm, and each run cost."""
    rows = []
    n_in, spent = sum(int(row["n_in"]) for row in facts.funnel), sum(float(row["cost"] or 0) for row in facts.funnel)
    if n_in:
        rows.append(Cost("task generation", None, None, None, f"{n_in:,} attempts, {spent:,.1f} CPU-s"))
    rows += _stage_costs(facts.arm, "")
    if facts.baseline:
        rows += _stage_costs(facts.baseline, f"{facts.baseline.scheduler or 'baseline'}: ")
    for run in facts.runs:
        wall = (run.finished_at - run.started_at).total_seconds() if run.finished_at else None
        note = f"{run.cpu_s:,.0f} CPU-s, {run.status}" if run.finished_at else "not ended when this was written"
        rows.append(Cost(f"run {run.run[:12]} ({run.flow})", None, None, wall, note))
    return rows


def versions(facts: Facts) -> dict[str, str]:
    """What wrote the campaign: identities and versions."""
    run = facts.run
    found = {"campaign": facts.campaign_id, "warehouse snapshot": str(facts.snapshot_id)}
    if run is not None:
        found |= {"newest run": run.run, "code": run.code_version, "started": f"{run.started_at:%Y-%m-%d %H:%M} UTC"}
    if facts.baseline:
        found["baseline campaign"] = facts.baseline.campaign_id
    protocols = sorted({e.protocol_hash for e in facts.arm.evaluations})
    return found | ({"evaluation protocol": ", ".join(protocols)} if protocols else {})


def _stage_costs(arm: Arm, prefix: str) -> list[Cost]:
    return [
        Cost(
            f"{prefix}stage {stage.stage_index} ({stage.kind})",
            stage.n_steps,
            stage.n_rollouts,
            stage.duration_s,
            stage.reason or str(stage.status),
        )
        for stage in arm.stages
    ]


def _end(found: dict[str, list[Evaluation]], family: str, place: int) -> Evaluation | None:
    figures = found.get(family)
    return figures[place] if figures else None
