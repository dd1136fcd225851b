"""Probes of a policy and what they say of every task: rows of `rollouts` and `calibrations`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

import numpy as np

from curriculum.buckets import ORDER, bucket_codes
from curriculum.pool import pool_of
from curriculum.posterior import credible_interval, p_mixed
from curriculum.probes import stratified
from curriculum.summary import Earlier, posterior_of
from flows.campaign import CampaignConfig
from flows.steps.planning import earlier_evidence
from flows.steps.policies import load_policy, policy_row
from flows.steps.pools import training_tasks
from flows.workshop import Workshop
from trainer.engines.referee import rubric_judge
from trainer.evaluate import sample_and_judge
from warehouse.records import Calibration, JsonValue, Judgement, Rollout, RolloutPurpose, Task, content_hash

THIN_BATCHES = 20
"""A frontier with fewer training batches of expected mixed groups is thin."""


def calibrate(shop: Workshop, config: CampaignConfig, policy: str) -> str:
    """Probe a policy on a stratified few tasks and believe the arms' priors for the rest.

    Probes cost at most `budget_share` of a stage's rollouts and go to tasks that this policy was not probed on. Its
    earlier probes, and the newest training rollouts of the stage that made it, count as evidence beside them.
    Returns the policy's full id.
    """
    policy_id = policy_row(shop, policy).policy_id
    tasks = training_tasks(shop, config)
    settings = config.calibration.model_dump(mode="json")
    batch = content_hash("calibrate", policy_id, sorted(task.task_id for task in tasks), settings, config.seed)
    if shop.seen(batch):
        return policy_id
    earlier = _probed(shop, policy_id)
    done = {row.task_id for row in earlier}
    probes = _probe(shop, config, policy_id, [task for task in tasks if task.task_id not in done], owner=batch)
    evidence = [*earlier, *probes, *_recent(shop, config, policy_id)]
    decided = Counter(row.task_id for row in evidence if row.judgement.decided)
    passed = Counter(row.task_id for row in evidence if row.judgement is Judgement.PASS)
    beliefs = believe(
        policy_id,
        tasks,
        decided,
        passed,
        group=config.stage.group_size,
        earlier=earlier_evidence(shop, config, policy_id),
    )
    shop.commit([*probes, *beliefs], batch=batch, purpose="calibrate")
    return policy_id


def asked(shop: Workshop, config: CampaignConfig, policy_id: str) -> dict[str, JsonValue]:
    """What a calibration would do: {"policy_id", "n_tasks", "n_probed_before", "most_probes", "most_rollouts"}."""
    tasks = training_tasks(shop, config)
    known = {row.task_id for row in _probed(shop, policy_id)}
    fresh = sum(task.task_id not in known for task in tasks)
    probes = min(_affordable(config), fresh)
    return {
        "policy_id": policy_id,
        "n_tasks": len(tasks),
        "n_probed_before": len(tasks) - fresh,
        "most_probes": probes,
        "most_rollouts": probes * config.calibration.group_size,
    }


def bucket_sizes(shop: Workshop, policy_id: str) -> dict[str, JsonValue]:
    """How many accepted tasks are in each difficulty bucket for a policy."""
    accepted = "policy_id = $id AND task_id IN (SELECT task_id FROM current_tasks WHERE status = 'accepted')"
    rows = shop.store.read(Calibration, accepted, {"id": policy_id})
    sizes = Counter(row.bucket for row in rows)
    return {bucket.value: sizes[bucket] for bucket in ORDER}


def believe(
    policy_id: str,
    tasks: Sequence[Task],
    decided: Mapping[str, int],
    passed: Mapping[str, int],
    *,
    group: int,
    earlier: Sequence[Earlier] = (),
) -> list[Calibration]:
    """One calibration a task from its decided rollouts and passes; a task never tried has its arm's prior."""
    n = np.array([decided.get(task.task_id, 0) for task in tasks])
    c = np.array([passed.get(task.task_id, 0) for task in tasks])
    alpha, beta = posterior_of([task.arm for task in tasks], n, c, earlier=earlier)
    low, high = credible_interval(alpha, beta)
    mean, mixed, codes = alpha / (alpha + beta), p_mixed(alpha, beta, group), bucket_codes(alpha, beta)
    return [
        Calibration(
            task_id=task.task_id,
            policy_id=policy_id,
            arm=task.arm,
            n=int(n[i]),
            c=int(c[i]),
            alpha=float(alpha[i]),
            beta=float(beta[i]),
            mean=float(mean[i]),
            low=float(low[i]),
            high=float(high[i]),
            p_mixed=float(mixed[i]),
            variance=float(mean[i] * (1 - mean[i])),
            bucket=ORDER[int(codes[i])],
        )
        for i, task in enumerate(tasks)
    ]


def _probe(
    shop: Workshop, config: CampaignConfig, policy_id: str, tasks: Sequence[Task], *, owner: str
) -> list[Rollout]:
    if not tasks:
        return []
    chosen = stratified(pool_of(tasks), _affordable(config), config.seed)
    if not len(chosen):
        return []
    policy, probed, referee = load_policy(shop, policy_id), [tasks[i] for i in chosen], config.models.referee
    shop.judge.rubrics = rubric_judge(probed, referee, shop.home.root, policy_lineage=policy.lineage)
    return sample_and_judge(
        policy,
        probed,
        shop.judge,
        n=config.calibration.group_size,
        sampling=config.sampling,
        seed=config.seed,
        purpose=RolloutPurpose.PROBE,
        owner=owner,
    )


def _affordable(config: CampaignConfig) -> int:
    """Tasks that the share of a stage's rollouts pays for."""
    stage, share = config.stage, config.calibration.budget_share
    budget = int(share * stage.n_steps * stage.prompts_per_step * stage.group_size)
    return budget // config.calibration.group_size


def stock_batches(shop: Workshop, config: CampaignConfig, policy_id: str) -> float:
    """Expected mixed groups left for a policy, in training batches."""
    rows = shop.store.named("frontier_stock", policy=policy_id).to_pylist()
    return float(rows[0]["stock"]) / config.stage.prompts_per_step if rows else 0.0


def _probed(shop: Workshop, policy_id: str) -> list[Rollout]:
    """What a policy was probed on before, by calibrations of another pool."""
    return shop.store.read(Rollout, "purpose = 'probe' AND policy_id = $id", {"id": policy_id})


def _recent(shop: Workshop, config: CampaignConfig, policy_id: str) -> list[Rollout]:
    """Training rollouts of the last steps before the policy was saved."""
    return shop.store.read(
        Rollout,
        "rollout_id IN (SELECT rollout_id FROM recent_rollouts WHERE policy_out = $policy AND steps_before < $steps)",
        {"policy": policy_id, "steps": config.calibration.recent_steps},
    )
