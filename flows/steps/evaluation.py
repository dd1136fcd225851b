"""Policies measured on held-out tasks under one protocol, and compared task by task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from flows.campaign import CampaignConfig
from flows.steps.policies import load_policy
from flows.steps.pools import heldout_tasks
from flows.workshop import Workshop
from trainer.evaluate import choose, evaluate, protocol_hash
from warehouse.records import Evaluation, Record, content_hash


def evaluate_policy(shop: Workshop, config: CampaignConfig, policy_id: str, *, campaign_id: str, index: int) -> None:
    """Measure a policy after stage `index` and commit every rollout and figure.

    A policy measured before under the same protocol, by another campaign say, is not sampled again.
    """
    tasks = heldout_tasks(shop, config)
    protocol = protocol_hash(choose(tasks, config.evaluation.n_tasks), config.evaluation)
    batch = content_hash("evaluation", campaign_id, policy_id, protocol, index)
    if shop.seen(batch):
        return
    known = shop.store.read(
        Evaluation, "policy_id = $policy AND protocol_hash = $protocol", {"policy": policy_id, "protocol": protocol}
    )
    if known:
        rows: list[Record] = [
            replace(
                row,
                eval_id=content_hash(row.eval_id, campaign_id, index),
                campaign_id=campaign_id,
                stage_index=index,
            )
            for row in known
            if row.eval_id == known[0].eval_id
        ]
    else:
        found = evaluate(
            load_policy(shop, policy_id),
            tasks,
            shop.judge,
            config.evaluation,
            campaign_id=campaign_id,
            stage_index=index,
        )
        rows = [*found.rollouts, *found.evaluations]
    shop.commit(rows, batch=batch, purpose=f"evaluate after stage {index}")


def figures(shop: Workshop, campaign_id: str, index: int, group: str = "all") -> Mapping[str, Mapping[str, float]]:
    """A campaign's figures after stage `index` for a group of tasks: {"pass@1": {"value", "low", "high", "n"}, ...}."""
    rows = shop.store.read(
        Evaluation,
        'campaign_id = $campaign AND stage_index = $index AND "group" = $group',
        {"campaign": campaign_id, "index": index, "group": group},
    )
    return {row.metric: {"value": row.value, "low": row.low, "high": row.high, "n": row.n} for row in rows}
