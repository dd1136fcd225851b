"""Evaluation under a fixed protocol, and the sample-then-judge step that probes share with it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from curriculum.estimates import clustered_interval, pass_at_k
from trainer.config import EvaluationConfig, SamplingConfig
from trainer.errors import EvaluationFailed
from trainer.policies import LoadedPolicy
from trainer.rewards import JudgeLike
from trainer.rollout import Completion, sample
from warehouse.records import Evaluation, FinishReason, Judgement, Rollout, RolloutPurpose, Task, content_hash


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
    """`policy` on the protocol's choice of `tasks`: rollouts, and figures for all, each family, arm and group.

    Intervals are clustered by family and level. Undecided rollouts count in no pass rate; a task with fewer than
    k decided ones has no pass@k. The same policy, tasks and protocol have the same `eval_id`.
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
    figures = _figures(rollouts, protocol)
    groups: dict[str, list[int]] = defaultdict(list)
    for place, task in enumerate(chosen):
        named = [f"group:{name}" for name, families in protocol.groups.items() if task.family in families]
        for group in ("all", f"family:{task.family}", f"arm:{task.arm}", *named):
            groups[group].append(place)
    evaluations = []
    for group, places in groups.items():
        clusters = [chosen[place].arm for place in places]
        for metric, values in figures.items():
            bounded = metric.startswith("pass@")
            found = clustered_interval(values[places], clusters, bounded=bounded)
            evaluations.append(
                Evaluation(
                    eval_id=owner,
                    policy_id=policy.policy_id,
                    protocol_hash=key,
                    campaign_id=campaign_id,
                    stage_index=stage_index,
                    group=group,
                    metric=metric,
                    value=found.value,
                    low=found.low,
                    high=found.high,
                    n=found.n,
                    n_samples=protocol.n_samples,
                )
            )
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


def _figures(rollouts: Sequence[Rollout], protocol: EvaluationConfig) -> dict[str, np.ndarray]:
    """One value a task for every metric; NaN where a task has too few decided rollouts."""
    size = protocol.n_samples
    groups = [rollouts[start : start + size] for start in range(0, len(rollouts), size)]
    decided = np.array([sum(r.judgement.decided for r in group) for group in groups])
    passed = np.array([sum(r.judgement is Judgement.PASS for r in group) for group in groups])
    figures = {f"pass@{k}": pass_at_k(decided, passed, k) for k in sorted({1, protocol.k})}
    figures["entropy"] = np.array([_mean([r.mean_entropy for r in group]) for group in groups])
    figures["tokens"] = np.array([_mean([float(r.n_tokens) for r in group]) for group in groups])
    return figures


def _mean(values: Sequence[float | None]) -> float:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else math.nan


def _cut(completion: Completion) -> bool:
    return completion.finish_reason is FinishReason.LENGTH
