"""What the warehouse knows of a campaign, gathered for its report."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from flows.report.examples import Example, examples
from warehouse.records import Action, Alarm, Evaluation, Metric, Mixture, Run, RunStatus, Stage
from warehouse.store import Store

Row = Mapping[str, Any]

SERIES = ("reward", "entropy")
"""Training series that are drawn, by TRL's names."""

N_INFORMATIVE = 10
"""How many of the most informative tasks are shown."""


@dataclass(frozen=True, slots=True)
class Arm:
    """One line of training: a campaign, or the baseline that starts from the same policy."""

    campaign_id: str
    stages: tuple[Stage, ...]
    evaluations: tuple[Evaluation, ...]
    series: tuple[Row, ...]
    mixtures: tuple[Mixture, ...]

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

    def pass_at_k(self) -> str | None:
        """The name of the pass@k with the largest k over 1 that was measured."""
        names = {e.metric for e in self.evaluations if e.metric.startswith("pass@") and e.metric != "pass@1"}
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
    return Facts(
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
        examples=tuple(examples(store, [stage.stage_id for stage in arm.trained])),
        alarms=tuple(sorted(alarms, key=lambda alarm: (owners["owners"].index(alarm.owner), alarm.step))),
        actions=tuple(store.read(Action, "list_contains($owners, owner)", owners)),
        lineage=tuple(lineage),
    )


def read_arm(store: Store, campaign_id: str) -> Arm:
    """The line of training that `campaign_id` names; its parts are empty where the warehouse holds none."""
    own = {"campaign": campaign_id}
    stages = sorted(store.read(Stage, "campaign_id = $campaign", own), key=lambda s: (s.stage_index, s.kind != "sft"))
    plans = sorted(store.read(Mixture, "campaign_id = $campaign", own), key=lambda plan: plan.stage_index)
    arm = Arm(
        campaign_id, tuple(stages), tuple(store.read(Evaluation, "campaign_id = $campaign", own)), (), tuple(plans)
    )
    return Arm(arm.campaign_id, arm.stages, arm.evaluations, tuple(_series(store, arm)), arm.mixtures)


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


def by_family(arm: Arm, metric: str) -> dict[str, list[Evaluation]]:
    """Family to its figures of `metric` after each stage in order."""
    families: dict[str, list[Evaluation]] = defaultdict(list)
    for group in sorted({e.group for e in arm.evaluations if e.group.startswith("family:")}):
        families[group.removeprefix("family:")] = arm.figures(metric, group)
    return {family: found for family, found in families.items() if found}
