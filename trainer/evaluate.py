"""Evaluation under a fixed protocol, and the sample-then-judge step that probes share with it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import torch

from synth.graders import Judged
from synth.graders.failures import cause_of_failure
from trainer.config import EvaluationConfig, SamplingConfig
from trainer.episodes import Player
from trainer.errors import EvaluationFailed
from trainer.figures import figures
from trainer.policies import LoadedPolicy
from trainer.rewards import JudgeLike
from trainer.rollout import MAX_ROWS, Completion, sample
from trainer.seeding import step_seed
from warehouse.records import (
    Domain,
    Evaluation,
    FinishReason,
    JsonValue,
    Rollout,
    RolloutPurpose,
    Task,
    content_hash,
)


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

    Agent tasks are played, the others answered: equal completions of one task are judged once.
    """
    agents = [slot for slot, task in enumerate(tasks) if task.domain is Domain.AGENT]
    others = [slot for slot in range(len(tasks)) if slot not in set(agents)]
    drawn = [
        *(_played(policy, tasks, agents, judge, n=n, sampling=sampling, seed=seed) if agents else ()),
        *(_answered(policy, tasks, others, judge, n=n, sampling=sampling, seed=seed) if others else ()),
    ]
    return [
        Rollout(
            rollout_id=content_hash(owner, stage_attempt, step, one.slot, one.place),
            task_id=tasks[one.slot].task_id,
            policy_id=policy.policy_id,
            purpose=purpose,
            stage_id=stage_id,
            stage_attempt=stage_attempt,
            step=step,
            slot=one.slot,
            sample=one.place,
            completion=one.completion.text,
            turns=one.turns,
            n_tokens=one.completion.n_tokens,
            latency_s=one.completion.latency_s,
            finish_reason=one.completion.finish_reason,
            mean_entropy=one.completion.mean_entropy,
            judgement=one.word.judgement,
            reward=one.word.reward,
            parts=dict(one.word.parts),
            cheats=tuple(one.word.cheats),
            cause=one.cause or cause_of_failure(one.word),
            protocol_hash=protocol,
        )
        for one in sorted(drawn, key=lambda one: (one.slot, one.place))
    ]


class _Drawn(NamedTuple):
    """One judged sample: its task's place, its own place in the group, what was written and the word on it."""

    slot: int
    place: int
    completion: Completion
    word: Judged
    turns: tuple[Mapping[str, JsonValue], ...] = ()
    cause: str | None = None


def _played(
    policy: LoadedPolicy,
    tasks: Sequence[Task],
    slots: Sequence[int],
    judge: JudgeLike,
    *,
    n: int,
    sampling: SamplingConfig,
    seed: int,
) -> list[_Drawn]:
    """`n` episodes of each agent task; a completion is what was handed in."""
    player = Player(policy, lambda: judge.pool, sampling)
    places = [(slot, place) for slot in slots for place in range(n)]
    drawn = []
    for start in range(0, len(places), MAX_ROWS):
        own = places[start : start + MAX_ROWS]
        generator = torch.Generator().manual_seed(step_seed(seed, start))
        for (slot, place), one in zip(own, player.play([tasks[i] for i, _ in own], generator=generator), strict=True):
            end, reason = one.trajectory, FinishReason.STOP if one.handed_in else FinishReason.LENGTH
            wrote = Completion(end.submission or "", end.n_tokens, reason, one.mean_entropy, end.latency_s)
            drawn.append(_Drawn(slot, place, wrote, end.word, end.turns, end.cause))
    return drawn


def _answered(
    policy: LoadedPolicy,
    tasks: Sequence[Task],
    slots: Sequence[int],
    judge: JudgeLike,
    *,
    n: int,
    sampling: SamplingConfig,
    seed: int,
) -> list[_Drawn]:
    """`n` completions of each task; raises `EvaluationFailed` when the sampler returns another number."""
    groups = sample(
        policy,
        [tasks[slot].prompt for slot in slots],
        n=n,
        temperature=sampling.temperature,
        max_tokens=sampling.max_tokens,
        seed=seed,
    )
    drawn = [
        (slot, place, completion)
        for slot, group in zip(slots, groups, strict=False)
        for place, completion in enumerate(group)
    ]
    if len(drawn) != n * len(slots):
        raise EvaluationFailed(f"asked for {n * len(slots)} completions, the sampler returned {len(drawn)}")
    distinct = list(dict.fromkeys((slot, completion.text, _cut(completion)) for slot, _, completion in drawn))
    words = judge.judge(
        [tasks[slot] for slot, _, _ in distinct],
        [text for _, text, _ in distinct],
        truncated=[cut for _, _, cut in distinct],
    )
    judged = dict(zip(distinct, words, strict=True))
    return [
        _Drawn(slot, place, completion, judged[slot, completion.text, _cut(completion)])
        for slot, place, completion in drawn
    ]


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
    sampling = SamplingConfig(
        temperature=protocol.temperature, max_tokens=protocol.max_tokens, episodes=protocol.episodes
    )
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
    return content_hash(sorted(task.task_id for task in tasks), protocol.model_dump(mode="json", exclude_none=True))


def _cut(completion: Completion) -> bool:
    return completion.finish_reason is FinishReason.LENGTH
