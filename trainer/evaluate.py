"""Evaluation under a fixed protocol, and the sample-then-judge step that probes share with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from synth.graders.failures import cause_of_failure
from trainer.config import EvaluationConfig, SamplingConfig
from trainer.errors import EvaluationFailed
from trainer.figures import figures
from trainer.policies import LoadedPolicy
from trainer.rewards import JudgeLike
from trainer.rollout import Completion, sample
from warehouse.records import Evaluation, FinishReason, Rollout, RolloutPurpose, Task, content_hash


class Evaluated(NamedTuple):
    """Every rollout of an evaluation, and its figures for all tasks, each family and each arm."""

    rollouts: list[Rollout]
    evaluations: list[Evaluation]


def sample_and_judge(
    policy: LoadedPolicy,
    tasks: Sequence[Task],
    judge: JudgeLike,
    *,
    n: int,
    sampling: SamplingConfig,
    seed: int,
    purpose: RolloutPurpose,
    owner: str,
    stage_id: str | None = None,
    stage_attempt: int = 0,
    step: int = 0,
    protocol: str | None = None,
) -> list[Rollout]:
    """`n` judged rollouts of every task, task by task; `owner` and the place make their ids.

    Equal completions of one task are judged once. Raises `EvaluationFailed` when the sampler returns another number.
    """
    groups = sample(
        policy,
        [task.prompt for task in tasks],
        n=n,
        temperature=sampling.temperature,
        max_tokens=sampling.max_tokens,
        seed=seed,
    )
    drawn = [
        (slot, place, tasks[slot], completion)
        for slot, group in enumerate(groups)
        for place, completion in enumerate(group)
    ]
    if len(drawn) != n * len(tasks):
        raise EvaluationFailed(f"asked for {n * len(tasks)} completions, the sampler returned {len(drawn)}")
    distinct = list(dict.fromkeys((slot, completion.text, _cut(completion)) for slot, _, _, completion in drawn))
    words = judge.judge(
        [tasks[slot] for slot, _, _ in distinct],
        [text for _, text, _ in distinct],
        truncated=[cut for _, _, cut in distinct],
    )
    judged = dict(zip(distinct, words, strict=True))
    rows = []
    for slot, place, task, completion in drawn:
        word = judged[slot, completion.text, _cut(completion)]
        rows.append(
            Rollout(
                rollout_id=content_hash(owner, stage_attempt, step, slot, place),
                task_id=task.task_id,
                policy_id=policy.policy_id,
                purpose=purpose,
                stage_id=stage_id,
                stage_attempt=stage_attempt,
                step=step,
                slot=slot,
                sample=place,
                completion=completion.text,
                n_tokens=completion.n_tokens,
                latency_s=completion.latency_s,
                finish_reason=completion.finish_reason,
                mean_entropy=completion.mean_entropy,
                judgement=word.judgement,
                reward=word.reward,
                parts=dict(word.parts),
                cheats=tuple(word.cheats),
                cause=cause_of_failure(word),
                protocol_hash=protocol,
            )
        )
    return rows


def evaluate(
    policy: LoadedPolicy,
    tasks: Sequence[Task],
    judge: JudgeLike,
    protocol: EvaluationConfig,
    *,
    campaign_id: str | None = None,
    stage_index: int | None = None,
) -> Evaluated:
    """`policy` on the protocol's choice of `tasks`: rollouts, and the figures of every group of tasks.

    The same policy, tasks and protocol have the same `eval_id`.
    """
    chosen = choose(tasks, protocol.n_tasks)
    if not chosen:
        raise EvaluationFailed('there is no task to evaluate on; see: gradatim sql "select split, count(*) from tasks"')
    key = protocol_hash(chosen, protocol)
    owner = content_hash("evaluate", policy.policy_id, key)
    sampling = SamplingConfig(temperature=protocol.temperature, max_tokens=protocol.max_tokens)
    rollouts = sample_and_judge(
        policy,
        chosen,
        judge,
        n=protocol.n_samples,
        sampling=sampling,
        seed=protocol.seed,
        purpose=RolloutPurpose.EVAL,
        owner=owner,
        protocol=key,
    )
    evaluations = [
        Evaluation(
            eval_id=owner,
            policy_id=policy.policy_id,
            protocol_hash=key,
            campaign_id=campaign_id,
            stage_index=stage_index,
            group=figure.group,
            metric=figure.metric,
            value=figure.interval.value,
            low=figure.interval.low,
            high=figure.interval.high,
            n=figure.interval.n,
            n_samples=protocol.n_samples,
        )
        for figure in figures(chosen, rollouts, protocol)
    ]
    return Evaluated(rollouts, evaluations)


def choose(tasks: Sequence[Task], n: int) -> list[Task]:
    """At most `n` of `tasks`, arms in turn and by task id within an arm: the same for every policy."""
    arms: dict[str, list[Task]] = defaultdict(list)
    for task in sorted(tasks, key=lambda task: task.task_id):
        arms[task.arm].append(task)
    rounds = max((len(own) for own in arms.values()), default=0)
    turn = [arms[arm][place] for place in range(rounds) for arm in sorted(arms) if place < len(arms[arm])]
    return turn[:n]


def protocol_hash(tasks: Sequence[Task], protocol: EvaluationConfig) -> str:
    """The identity of an evaluation's protocol: its task set, samples, k, temperature, limits and seed."""
    return content_hash(sorted(task.task_id for task in tasks), protocol.model_dump(mode="json"))


def _cut(completion: Completion) -> bool:
    return completion.finish_reason is FinishReason.LENGTH
