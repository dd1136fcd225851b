"""Policies measured on held-out tasks under one protocol, and compared task by task."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from flows.campaign import CampaignConfig
from flows.steps.policies import load_policy, policy_row
from flows.steps.pools import heldout_tasks
from flows.workshop import Workshop
from trainer.evaluate import choose, evaluate, protocol_hash
from warehouse.records import Evaluation, Rollout, content_hash
from warehouse.store import Store


def evaluate_policy(
    shop: Workshop, config: CampaignConfig, policy: str, *, campaign_id: str | None = None, index: int | None = None
) -> str:
    """Measure a policy, after stage `index` of a campaign or by itself; returns the evaluation's id.

    Every rollout and figure is committed. A policy measured before under the same protocol, by another campaign
    say, is not sampled again.
    """
    policy_id = policy_row(shop, policy).policy_id
    tasks = heldout_tasks(shop, config)
    protocol = protocol_hash(choose(tasks, config.evaluation.n_tasks), config.evaluation)
    identity: dict[str, str | int | None] = {
        "policy_id": policy_id,
        "protocol_hash": protocol,
        "campaign_id": campaign_id,
        "stage_index": index,
    }
    eval_id = content_hash("evaluation", identity)
    if shop.seen(eval_id):
        return eval_id
    rollouts: list[Rollout] = []
    rows = shop.store.read(
        Evaluation, "policy_id = $policy AND protocol_hash = $protocol", {"policy": policy_id, "protocol": protocol}
    )
    if not rows:
        rollouts, rows = evaluate(load_policy(shop, policy_id), tasks, shop.judge, config.evaluation)
    first = [row for row in rows if row.eval_id == rows[0].eval_id]
    own = [replace(row, eval_id=eval_id, campaign_id=campaign_id, stage_index=index) for row in first]
    shop.commit([*rollouts, *own], batch=eval_id, purpose=f"evaluate after stage {index}")
    return eval_id


def all_figures(shop: Workshop, eval_id: str) -> Mapping[str, Mapping[str, Mapping[str, float]]]:
    """Every figure of one evaluation: {group: {metric: {"value", "low", "high", "n"}}}."""
    found: dict[str, dict[str, Mapping[str, float]]] = {}
    for row in shop.store.read(Evaluation, "eval_id = $id", {"id": eval_id}):
        found.setdefault(row.group, {})[row.metric] = {
            "value": row.value,
            "low": row.low,
            "high": row.high,
            "n": row.n,
            "n_samples": row.n_samples,
        }
    return found


def figures(shop: Workshop, campaign_id: str, index: int, group: str = "all") -> Mapping[str, Mapping[str, float]]:
    """A campaign's figures after stage `index` for a group of tasks: {"pass@1": {"value", "low", "high", "n"}, ...}."""
    return figures_of(shop.store, campaign_id, index, group)


def figures_of(store: Store, campaign_id: str, index: int, group: str = "all") -> Mapping[str, Mapping[str, float]]:
    """The same from a store alone."""
    rows = store.read(
        Evaluation,
        'campaign_id = $campaign AND stage_index = $index AND "group" = $group',
        {"campaign": campaign_id, "index": index, "group": group},
    )
    return {row.metric: {"value": row.value, "low": row.low, "high": row.high, "n": row.n} for row in rows}
