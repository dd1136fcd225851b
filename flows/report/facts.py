"""What the warehouse knows of a campaign, gathered for its report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from flows.report.changes import Changes, changes
from flows.report.examples import Example, examples
from flows.steps.watching import final_look
from warehouse.records import Action, Alarm, Evaluation, Metric, Mixture, Run, RunStatus, Stage
from warehouse.store import Store

Row = Mapping[str, Any]

SERIES = ("reward", "entropy")
"""Training series that are drawn, by TRL's names."""

N_INFORMATIVE = 10
"""How many of the most informative tasks are shown."""


WIDE = 8
"""K of pass@K where the configuration is not known."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One line of training: a campaign, or the baseline that starts from the same policy."""

    campaign_id: str
    stages: tuple[Stage, ...]
    evaluations: tuple[Evaluation, ...]
    series: tuple[Row, ...]
    mixtures: tuple[Mixture, ...]
    final: int | None = None
    """Index of the evaluation that the last policy has: after a last roll-back, of the one gone back to."""
    canaries: Mapping[str, int] = field(default_factory=dict)
    """Stage to its canary rollouts, which its `n_rollouts` counts too."""

    @property
    def trained(self) -> list[Stage]:
        """GRPO stages in order."""
        return [stage for stage in self.stages if stage.kind == "grpo"]

    @property
    def scheduler(self) -> str | None:
        """The scheduler of the newest plan."""
        return self.mixtures[-1].scheduler if self.mixtures else None

    @property
    def last_policy(self) -> str | None:
        """The newest policy that a stage made."""
        made = [stage.policy_out for stage in self.stages if stage.policy_out]
        return made[-1] if made else None

    @property
    def starts(self) -> dict[str, int]:
        """Stage to the number of optimizer steps before it."""
        before, found = 0, {}
        for stage in self.trained:
            found[stage.stage_id] = before
            before += stage.n_steps
        return found

    def figures(self, metric: str, group: str = "all") -> list[Evaluation]:
        """One metric of one group of tasks, after each stage in order."""
        found = {e.stage_index: e for e in self.evaluations if e.metric == metric and e.group == group}
        return [found[index] for index in sorted(index for index in found if index is not None)]

    def start(self, metric: str, group: str = "all") -> Evaluation | None:
        """The first figure of a metric."""
        return next(iter(self.figures(metric, group)), None)

    def end(self, metric: str, group: str = "all") -> Evaluation | None:
        """The figure of the policy that the line of training ended with."""
        found = self.figures(metric, group)
        own = [e for e in found if e.stage_index == self.final]
        return own[-1] if own else found[-1] if found else None

    def ends(self, metric: str, group: str = "all") -> tuple[Evaluation, Evaluation] | None:
        """A metric's first figure and its last, where it was measured more than once."""
        found, before, after = self.figures(metric, group), self.start(metric, group), self.end(metric, group)
        return (before, after) if before and after and len(found) > 1 else None

    @property
    def unmeasured(self) -> list[Stage]:
        """Finished stages behind the last evaluation."""
        looks = [e.stage_index for e in self.evaluations if e.stage_index is not None]
        last = max(looks, default=None)
        return [s for s in self.trained if last is not None and s.n_steps and s.stage_index > last]

    def wide(self, k: int) -> str | None:
        """pass@`k` where it was measured, else the pass@K with the largest K over 1."""
        names = {e.metric for e in self.evaluations if e.metric.startswith("pass@") and e.metric != "pass@1"}
        if f"pass@{k}" in names:
            return f"pass@{k}"
        return max(names, key=lambda name: int(name.partition("@")[2]), default=None)


@dataclass(frozen=True, slots=True)
class Facts:
    """Everything a report is made of; empty parts are what the warehouse does not hold."""

    campaign_id: str
    snapshot_id: int
    runs: tuple[Run, ...]
    arm: Arm
    baseline: Arm | None
    funnel: tuple[Row, ...]
    reasons: tuple[Row, ...]
    verification: tuple[Row, ...]
    informative: tuple[Row, ...]
    examples: tuple[Example, ...]
    alarms: tuple[Alarm, ...]
    actions: tuple[Action, ...]
    lineage: tuple[Row, ...]
    change: Changes = field(default_factory=dict)
    """From the campaign's start to its end."""
    baseline_change: Changes = field(default_factory=dict)
    """From the baseline's start to its end."""
    against: Changes = field(default_factory=dict)
    """From the baseline's end to the campaign's: what is positive is the campaign's."""

    @property
    def wide(self) -> str | None:
        """The pass@K by which breadth is told: the K of the campaign's evaluations."""
        asked = self.run.config.get("evaluation") if self.run else None
        k = asked.get("k") if isinstance(asked, Mapping) else None
        return self.arm.wide(k if isinstance(k, int) else WIDE)

    @property
    def run(self) -> Run | None:
        """The newest run of the whole campaign, else of any part of it."""
        whole = [run for run in self.runs if run.flow == "run_campaign"]
        known = whole or list(self.runs)
        return known[-1] if known else None

    @property
    def name(self) -> str:
        """The campaign's name in its configuration."""
        given = self.run.config.get("name") if self.run else None
        return str(given) if given else "campaign"

    @property
    def finished(self) -> bool:
        """Whether every stage that the configuration asks for has ended well; the report is part of its run."""
        curriculum = self.run.config.get("curriculum") if self.run else None
        asked = curriculum.get("n_stages") if isinstance(curriculum, Mapping) else None
        done = sum(stage.status is RunStatus.FINISHED for stage in self.arm.trained)
        if isinstance(asked, int):
            return done >= asked
        return self.run is not None and self.run.status is RunStatus.FINISHED


def gather(store: Store, campaign_id: str, baseline: str | None = None) -> Facts:
    """Read everything that the report of `campaign_id` shows; `baseline` is the other arm's campaign."""
    own = {"campaign": campaign_id}
    arm = read_arm(store, campaign_id)
    other = read_arm(store, baseline) if baseline and baseline != campaign_id else None
    owners = {"owners": [campaign_id, *(stage.stage_id for stage in arm.stages)]}
    policy = arm.last_policy
    lineage = store.named("checkpoint_lineage", policy=policy).to_pylist() if policy else []
    alarms = store.read(Alarm, "list_contains($owners, owner)", owners)
    facts = Facts(
        campaign_id=campaign_id,
        snapshot_id=store.snapshot(),
        runs=tuple(sorted(store.read(Run, "campaign_id = $campaign", own), key=lambda run: run.started_at)),
        arm=arm,
        baseline=other if other and (other.stages or other.evaluations) else None,
        funnel=tuple(store.rows("SELECT * FROM funnel WHERE campaign_id = $campaign ORDER BY generator", own)),
        reasons=tuple(
            store.rows(
                "SELECT reason, sum(n)::BIGINT AS n FROM funnel_reasons WHERE campaign_id = $campaign"
                " GROUP BY reason ORDER BY n DESC, reason",
                own,
            )
        ),
        verification=tuple(store.named("model_verification", campaign=campaign_id).to_pylist()),
        informative=tuple(_informative(store, policy)),
        examples=tuple(examples(store, [(stage.stage_index, stage.stage_id) for stage in arm.trained])),
        alarms=tuple(sorted(alarms, key=lambda alarm: (owners["owners"].index(alarm.owner), alarm.step))),
        actions=tuple(store.read(Action, "list_contains($owners, owner)", owners)),
        lineage=tuple(lineage),
    )
    return _compared(store, facts)


def _compared(store: Store, facts: Facts) -> Facts:
    """`facts` with what changed task by task, in the campaign and against its baseline."""
    metrics = ["pass@1", *([facts.wide] if facts.wide else [])]
    own, other = facts.arm, facts.baseline
    found = replace(facts, change=changes(store, own.start("pass@1"), own.end("pass@1"), metrics))
    if other is None:
        return found
    return replace(
        found,
        baseline_change=changes(store, other.start("pass@1"), other.end("pass@1"), metrics),
        against=changes(store, other.end("pass@1"), own.end("pass@1"), metrics),
    )


def read_arm(store: Store, campaign_id: str) -> Arm:
    """The line of training that `campaign_id` names; its parts are empty where the warehouse holds none."""
    own = {"campaign": campaign_id}
    stages = sorted(store.read(Stage, "campaign_id = $campaign", own), key=lambda s: (s.stage_index, s.kind != "sft"))
    plans = sorted(store.read(Mixture, "campaign_id = $campaign", own), key=lambda plan: plan.stage_index)
    arm = Arm(
        campaign_id, tuple(stages), tuple(store.read(Evaluation, "campaign_id = $campaign", own)), (), tuple(plans)
    )
    counted = store.rows(
        "SELECT stage_id, count(*)::BIGINT AS n FROM rollouts WHERE purpose = 'canary'"
        " AND list_contains($stages, stage_id) GROUP BY stage_id",
        {"stages": [stage.stage_id for stage in stages]},
    )
    canaries = {str(row["stage_id"]): int(row["n"]) for row in counted}
    final = final_look(store, campaign_id)
    return replace(arm, series=tuple(_series(store, arm)), final=final, canaries=canaries)


def _series(store: Store, arm: Arm) -> list[Row]:
    starts = arm.starts
    found = store.read(
        Metric,
        "list_contains($owners, owner) AND list_contains($names, name) AND isfinite(value)",
        {"owners": list(starts), "names": list(SERIES)},
    )
    newest: dict[tuple[str, int, str], Metric] = {}
    for metric in sorted(found, key=lambda metric: metric.attempt):
        newest[metric.owner, metric.step, metric.name] = metric
    rows = [{"step": starts[m.owner] + m.step, "name": m.name, "value": m.value} for m in newest.values()]
    return sorted(rows, key=lambda row: (str(row["name"]), row["step"]))


def _informative(store: Store, policy: str | None) -> Sequence[Row]:
    if policy is None:
        return []
    rows = store.named("informative_tasks", policy=policy, limit=N_INFORMATIVE).to_pylist()
    if not rows:
        before = store.rows(
            "SELECT policy_id FROM current_calibrations AS c JOIN current_policies AS p USING (policy_id)"
            " ORDER BY p.nth DESC LIMIT 1"
        )
        rows = (
            store.named("informative_tasks", policy=before[0]["policy_id"], limit=N_INFORMATIVE).to_pylist()
            if before
            else []
        )
    prompts = {
        task.task_id: task.prompt
        for task in store.tasks(status=None, task_ids=[row["task_id"] for row in rows], private=False)
    }
    return [{**row, "prompt": prompts.get(row["task_id"], "")} for row in rows]


def families_of(arm: Arm) -> list[str]:
    """The families that were measured by themselves, by name."""
    groups = {e.group for e in arm.evaluations if e.group.startswith("family:") and e.metric == "pass@1"}
    return sorted(group.removeprefix("family:") for group in groups)
