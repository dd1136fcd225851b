"""Rows about what a policy did and what that says of a task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, ClassVar

from warehouse.records.columns import Column
from warehouse.records.identity import JsonValue
from warehouse.records.words import Bucket, FinishReason, Judgement, RolloutPurpose


@dataclass(frozen=True, slots=True, kw_only=True)
class Rollout:
    """One sampled completion or trajectory and what every judge said of it."""

    TABLE: ClassVar[str] = "rollouts"
    GRAIN: ClassVar[str] = "one sampled completion of one task"

    rollout_id: Annotated[str, Column("hash of owner, attempt, step, slot and sample", key=True)]
    task_id: Annotated[str, Column("the task", references="tasks.task_id")]
    policy_id: Annotated[str, Column("the policy that sampled", references="policies.policy_id")]
    purpose: Annotated[RolloutPurpose, Column("train, probe, canary or eval")]
    stage_id: Annotated[str | None, Column("the stage, for training and canary rollouts")] = None
    stage_attempt: Annotated[int, Column("which try of the stage", low=0)] = 0
    step: Annotated[int, Column("optimizer step within the stage", low=0)] = 0
    slot: Annotated[int, Column("place of the group within the step's batch", low=0)] = 0
    sample: Annotated[int, Column("place within the group", low=0)]
    completion: Annotated[str, Column("what the policy wrote")]
    turns: Annotated[
        tuple[Mapping[str, JsonValue], ...],
        Column("role, text, tool call, observation, tokens, latency per turn; one for a plain answer", json=True),
    ] = ()
    n_tokens: Annotated[int, Column("tokens of the completion", low=0, unit="tokens")]
    latency_s: Annotated[float, Column("generation time of its batch", low=0, unit="s")] = 0.0
    finish_reason: Annotated[FinishReason, Column("stop, length or error")]
    mean_entropy: Annotated[float | None, Column("mean entropy at temperature 1", low=0, unit="nats/token")] = None
    judgement: Annotated[Judgement, Column("the judges' word")]
    reward: Annotated[float | None, Column("S; none exactly when undecided or infrastructure failed")] = None
    parts: Annotated[Mapping[str, JsonValue], Column("every grader's part of the reward", json=True)] = field(
        default_factory=dict
    )
    cheats: Annotated[tuple[str, ...], Column("names of cheats found", json=True)] = ()
    protocol_hash: Annotated[
        str | None, Column("protocol of an evaluation rollout, as in evals; none for others and before schema 2")
    ] = None
    cause: Annotated[
        str | None, Column("why it failed: wrong, format:..., truncated, timeout:..., exception:..., cheat:..., ...")
    ] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Calibration:
    """What a policy's rollouts say of one task."""

    TABLE: ClassVar[str] = "calibrations"
    GRAIN: ClassVar[str] = "one task x policy x measurement"

    task_id: Annotated[str, Column("the task", key=True, references="tasks.task_id")]
    policy_id: Annotated[str, Column("the policy", key=True, references="policies.policy_id")]
    arm: Annotated[str, Column("family/level/source")]
    n: Annotated[int, Column("decided rollouts", low=0)]
    c: Annotated[int, Column("passes among them", low=0)]
    alpha: Annotated[float, Column("posterior Beta parameter A", low=0)]
    beta: Annotated[float, Column("posterior Beta parameter B", low=0)]
    mean: Annotated[float, Column("posterior mean pass rate", low=0, high=1)]
    low: Annotated[float, Column("lower end of the 90 % credible interval", low=0, high=1)]
    high: Annotated[float, Column("upper end of the 90 % credible interval", low=0, high=1)]
    p_mixed: Annotated[float, Column("chance that a group carries gradient", low=0, high=1)]
    variance: Annotated[float, Column("p(1-p) at the posterior mean", low=0, high=0.25)]
    bucket: Annotated[Bucket, Column("difficulty bucket for this policy")]


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawRecord:
    """One choice of the scheduler."""

    TABLE: ClassVar[str] = "draws"
    GRAIN: ClassVar[str] = "one slot of one step of one stage attempt"

    stage_id: Annotated[str, Column("the stage", key=True, references="stages.stage_id")]
    stage_attempt: Annotated[int, Column("which try of the stage", key=True, low=0)]
    step: Annotated[int, Column("optimizer step within the stage", key=True, low=0)]
    slot: Annotated[int, Column("place of the group within the step's batch", key=True, low=0)]
    task_id: Annotated[str, Column("the task drawn", references="tasks.task_id")]
    p_mixed: Annotated[float, Column("chance that the group carries gradient", low=0, high=1)]
    score: Annotated[float, Column("the scheduler's score")]
    reason: Annotated[str, Column("frontier, explore, replay or the scheduler's own word")]
