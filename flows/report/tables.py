"""The report's tables as rows ready to print."""

from __future__ import annotations

from typing import NamedTuple

from curriculum.strata import THIRDS
from flows.report.changes import Change
from flows.report.facts import Arm, Facts, families_of
from warehouse.records import Evaluation


class Headline(NamedTuple):
    """One figure at the head of the report."""

    name: str
    before: Evaluation
    after: Evaluation
    baseline: Evaluation | None
    change: Change | None
    against: Change | None

    @property
    def difference(self) -> float:
        """After minus before, where nothing is paired."""
        return self.after.value - self.before.value


class MatrixRow(NamedTuple):
    """One metric of one group of tasks at the start and the end, and at the baseline's end."""

    name: str
    digits: int
    before: Evaluation
    after: Evaluation
    baseline: Evaluation | None


class FamilyRow(NamedTuple):
    """One family's pass@1 and pass@k before and after, and the baseline's pass@1 after."""

    family: str
    before: Evaluation
    after: Evaluation
    wide_before: Evaluation | None
    wide_after: Evaluation | None
    baseline: Evaluation | None
    change: Change | None


class Cost(NamedTuple):
    """What one part of the campaign cost."""

    what: str
    n_steps: int | None
    n_rollouts: int | None
    n_canaries: int | None
    duration_s: float | None
    note: str


METRICS = {
    "tokens_p95": ("tokens a completion, 95th percentile", 1),
    "truncated_rate": ("cut off at the token limit", 3),
    "no_answer_rate": ("without an answer", 3),
    "cheat_rate": ("cheats", 3),
    "undecided_rate": ("undecided", 3),
    "infra_rate": ("lost to infrastructure", 3),
}
"""Metrics of the table beside pass@k and majority@k: how each reads, and its digits."""

STRATA = (*THIRDS, "long", "adversarial", "unseen")
"""Strata of the held-out tasks, in the order of the table."""


def headline(facts: Facts) -> list[Headline]:
    """pass@1, pass@k and entropy before and after, with the baseline's last figure."""
    found = []
    change, against = facts.change.get("all", {}), facts.against.get("all", {})
    for name in ("pass@1", facts.wide, "entropy"):
        before, after = (facts.arm.start(name), facts.arm.end(name)) if name else (None, None)
        if name and before and after:
            other = facts.baseline.end(name) if facts.baseline else None
            found.append(Headline(name, before, after, other, change.get(name), against.get(name)))
    return found


def matrix(facts: Facts) -> list[MatrixRow]:
    """Every metric that tells how answers come about, of all tasks; then pass@1 and pass@k by stratum."""
    majorities = {e.metric for e in facts.arm.evaluations if e.metric.startswith("majority@") and e.group == "all"}
    passes = ["pass@1", *([facts.wide] if facts.wide else [])]
    rows = [_row(facts, name, "all", name, 3) for name in [*passes, *sorted(majorities)]]
    rows += [_row(facts, name, "all", *shown) for name, shown in METRICS.items()]
    rows += [_row(facts, name, f"stratum:{part}", f"{name}, {part}", 3) for part in STRATA for name in passes]
    return [row for row in rows if row]


def _row(facts: Facts, metric: str, group: str, name: str, digits: int) -> MatrixRow | None:
    before, after = facts.arm.start(metric, group), facts.arm.end(metric, group)
    other = facts.baseline.end(metric, group) if facts.baseline else None
    return MatrixRow(name, digits, before, after, other) if before and after else None


def families(facts: Facts) -> list[FamilyRow]:
    """One row a family, by name."""
    rows = []
    for family in families_of(facts.arm):
        group, wide = f"family:{family}", facts.wide or ""
        before, after = facts.arm.start("pass@1", group), facts.arm.end("pass@1", group)
        other = facts.baseline.end("pass@1", group) if facts.baseline else None
        change = facts.change.get(group, {}).get("pass@1")
        if before and after:
            spread = facts.arm.start(wide, group), facts.arm.end(wide, group)
            rows.append(FamilyRow(family, before, after, *spread, other, change))
    return rows


def costs(facts: Facts) -> list[Cost]:
    """What synthesis, each stage of each arm, and each run cost."""
    rows = []
    n_in, spent = sum(int(row["n_in"]) for row in facts.funnel), sum(float(row["cost"] or 0) for row in facts.funnel)
    if n_in:
        rows.append(Cost("task generation", None, None, None, None, f"{n_in:,} attempts, {spent:,.1f} CPU-s"))
    rows += _stage_costs(facts.arm, "")
    if facts.baseline:
        rows += _stage_costs(facts.baseline, f"{facts.baseline.scheduler or 'baseline'}: ")
    for run in facts.runs:
        wall = (run.finished_at - run.started_at).total_seconds() if run.finished_at else None
        note = f"{run.cpu_s:,.0f} CPU-s, {run.status}" if run.finished_at else "not ended when this was written"
        rows.append(Cost(f"run {run.run[:12]} ({run.flow})", None, None, None, wall, note))
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
            stage.n_rollouts - arm.canaries.get(stage.stage_id, 0),
            arm.canaries.get(stage.stage_id, 0),
            stage.duration_s,
            stage.reason or str(stage.status),
        )
        for stage in arm.stages
    ]
