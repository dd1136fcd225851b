"""Rows about runs, stages, policies, plans and what was measured and done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Annotated, ClassVar

from warehouse.records.columns import Column
from warehouse.records.identity import JsonValue
from warehouse.records.words import AlarmLevel, RunStatus


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """One checkpoint of a policy."""

    TABLE: ClassVar[str] = "policies"
    GRAIN: ClassVar[str] = "one checkpoint"

    policy_id: Annotated[str, Column("hash of weights and tokenizer", key=True)]
    name: Annotated[str, Column("pocket, smollm, or a hub name")]
    lineage: Annotated[str, Column("family of weights")]
    parent: Annotated[str | None, Column("policy it was trained from", references="policies.policy_id")] = None
    stage_id: Annotated[str | None, Column("stage that made it", references="stages.stage_id")] = None
    weights_hash: Annotated[str, Column("blake3 of the weights file")]
    path: Annotated[str, Column("folder relative to the home, or a hub name")]
    n_parameters: Annotated[int, Column("parameters", low=0)] = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Mixture:
    """One plan: which arms the next stage draws from, and how that differs from the last plan."""

    TABLE: ClassVar[str] = "mixtures"
    GRAIN: ClassVar[str] = "one plan"

    mixture_id: Annotated[str, Column("content hash of the plan", key=True)]
    campaign_id: Annotated[str, Column("campaign")]
    stage_index: Annotated[int, Column("which stage it was made for", low=0)]
    policy_id: Annotated[str, Column("policy it was made for", references="policies.policy_id")]
    snapshot_id: Annotated[int, Column("warehouse snapshot read", low=0)]
    scheduler: Annotated[str, Column("scheduler that draws within the stage")]
    config_hash: Annotated[str, Column("hash of the scheduler's configuration")]
    weights: Annotated[Mapping[str, float], Column("weight per arm, sums to 1", json=True)]
    previous: Annotated[str | None, Column("the plan before", references="mixtures.mixture_id")] = None
    diff: Annotated[Mapping[str, JsonValue], Column("arm: before, after, why", json=True)] = field(default_factory=dict)
    kl: Annotated[float, Column("KL(new || old) over common arms", low=0, unit="nats")] = 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """One training stage; started and finished are two rows, the newest counts."""

    TABLE: ClassVar[str] = "stages"
    GRAIN: ClassVar[str] = "one change of one stage"

    stage_id: Annotated[str, Column("hash of sorted input task ids and configuration", key=True)]
    campaign_id: Annotated[str, Column("campaign")]
    stage_index: Annotated[int, Column("place within the campaign", low=0)]
    kind: Annotated[str, Column("sft or grpo")]
    status: Annotated[RunStatus, Column("started, finished, failed or cancelled")]
    attempt: Annotated[int, Column("which try", low=0)] = 0
    mixture_id: Annotated[str | None, Column("plan", references="mixtures.mixture_id")] = None
    snapshot_id: Annotated[int, Column("snapshot pinned", low=0)]
    policy_in: Annotated[str | None, Column("policy it starts from", references="policies.policy_id")] = None
    policy_out: Annotated[str | None, Column("policy it made", references="policies.policy_id")] = None
    config: Annotated[Mapping[str, JsonValue], Column("resolved stage configuration", json=True)]
    code_version: Annotated[str, Column("version of gradatim and of its components")]
    n_steps: Annotated[int, Column("optimizer steps done", low=0)] = 0
    n_rollouts: Annotated[int, Column("rollouts paid for, canaries included", low=0)] = 0
    duration_s: Annotated[float, Column("wall time", low=0, unit="s")] = 0.0
    reason: Annotated[str | None, Column("why it failed or ended early")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One invocation of a flow; started and finished are two rows, the newest counts."""

    TABLE: ClassVar[str] = "runs"
    GRAIN: ClassVar[str] = "one change of one flow run"

    run: Annotated[str, Column("identity of the invocation", key=True)]
    campaign_id: Annotated[str | None, Column("campaign, where the run belongs to one")] = None
    flow: Annotated[str, Column("flow or verb")]
    status: Annotated[RunStatus, Column("started, finished, failed or cancelled")]
    config: Annotated[Mapping[str, JsonValue], Column("resolved configuration without secrets", json=True)]
    code_version: Annotated[str, Column("version of gradatim")]
    started_at: Annotated[datetime, Column("start, UTC")]
    finished_at: Annotated[datetime | None, Column("end, UTC")] = None
    cpu_s: Annotated[float, Column("CPU time of the process and its children", low=0, unit="s")] = 0.0
    outputs: Annotated[Mapping[str, JsonValue], Column("files it made and their blake3, and its result", json=True)] = (
        field(default_factory=dict)
    )
    reason: Annotated[str | None, Column("why it failed")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Metric:
    """One value of one series."""

    TABLE: ClassVar[str] = "metrics"
    GRAIN: ClassVar[str] = "owner x attempt x step x name"

    owner: Annotated[str, Column("stage or run the series belongs to", key=True)]
    attempt: Annotated[int, Column("which try", key=True, low=0)] = 0
    step: Annotated[int, Column("optimizer step", key=True, low=0)]
    name: Annotated[str, Column("TRL's metric name where it has one", key=True)]
    value: Annotated[float, Column("the value; NaN is stored, not hidden")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """One figure of one policy under one protocol, for one group of tasks."""

    TABLE: ClassVar[str] = "evals"
    GRAIN: ClassVar[str] = "policy x protocol x group x metric"

    eval_id: Annotated[str, Column("hash of policy, protocol and task set", key=True)]
    policy_id: Annotated[str, Column("policy", references="policies.policy_id")]
    protocol_hash: Annotated[str, Column("hash of the protocol: tasks, n, k, temperature, limits")]
    campaign_id: Annotated[str | None, Column("campaign")] = None
    stage_index: Annotated[int | None, Column("after which stage; 0 is the warm start")] = None
    group: Annotated[str, Column("`all`, `family:NAME` or `arm:NAME`", key=True)]
    metric: Annotated[str, Column("pass@1, pass@8, entropy, tokens, ...", key=True)]
    value: Annotated[float, Column("point estimate")]
    low: Annotated[float, Column("lower end of the 95 % interval")]
    high: Annotated[float, Column("upper end of the 95 % interval")]
    n: Annotated[int, Column("tasks behind the figure", low=0)]
    n_samples: Annotated[int, Column("samples a task", low=0)]


@dataclass(frozen=True, slots=True, kw_only=True)
class Alarm:
    """One firing of one detector."""

    TABLE: ClassVar[str] = "alarms"
    GRAIN: ClassVar[str] = "detector x owner x step"

    alarm_id: Annotated[str, Column("hash of owner, attempt, step and detector", key=True)]
    owner: Annotated[str, Column("stage or campaign")]
    step: Annotated[int, Column("step of the series", low=0)]
    detector: Annotated[str, Column("detector")]
    detector_version: Annotated[str, Column("version of its rule")]
    level: Annotated[AlarmLevel, Column("clear, warn or critical")]
    inputs: Annotated[Mapping[str, JsonValue], Column("what it saw", json=True)] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """One intervention, decided by a rule from alarms."""

    TABLE: ClassVar[str] = "actions"
    GRAIN: ClassVar[str] = "one intervention"

    action_id: Annotated[str, Column("hash of alarm, rule and place", key=True)]
    alarm_id: Annotated[str | None, Column("alarm behind it", references="alarms.alarm_id")] = None
    owner: Annotated[str, Column("stage or campaign")]
    action: Annotated[str, Column("what was done")]
    rule_version: Annotated[str, Column("version of the table of rules")]
    before: Annotated[Mapping[str, JsonValue], Column("settings before", json=True)] = field(default_factory=dict)
    after: Annotated[Mapping[str, JsonValue], Column("settings after", json=True)] = field(default_factory=dict)
    applied: Annotated[bool, Column("false under --watch-only or where it was refused")] = True
    effect: Annotated[Mapping[str, JsonValue], Column("measured one stage later", json=True)] = field(
        default_factory=dict
    )
