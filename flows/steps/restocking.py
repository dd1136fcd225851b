"""A frontier that runs thin is restocked between stages: what the watch asked for, sized, made, and kept as a row."""

from __future__ import annotations

from dataclasses import replace

from flows.campaign import CampaignConfig
from flows.steps.stage_series import evaluated, stage_behind
from flows.steps.watching import events_of
from flows.steps.weak_spots import as_orders, make_ordered, seed_of, sized_for, told
from flows.workshop import Workshop
from warehouse.records import JsonValue, content_hash

N_ARMS = 3
"""Arms that one restocking asks for."""
BATCHES = 20
"""Training batches that it asks for at the most: the stock under which a frontier is thin."""


def restock(shop: Workshop, config: CampaignConfig, *, campaign_id: str, index: int) -> int:
    """Carry out what the watch after stage `index` asked for: attempts at the arms that pay best; returns how many.

    At most `n_per_family` attempts, or `BATCHES` training batches when that is less. The orders are stored with the
    action before the first is made, from the calibration that the stage was planned with, so that a campaign that
    is killed makes the same tasks.
    """
    asked = [
        one.action
        for one in events_of(shop.store, campaign_id).done.get(index, [])
        if one.action.applied and one.action.after.get("ask") == "synthesise"
    ]
    if not asked:
        return 0
    action = asked[0]
    if "orders" not in action.after:
        n = min(config.synthesis.n_per_family, BATCHES * config.stage.prompts_per_step)
        stage = stage_behind(shop.store, evaluated(shop.store, campaign_id)[index], index)
        if stage is None or stage.policy_in is None:
            return 0
        sized = sized_for(shop, config, stage.policy_in, n_arms=min(N_ARMS, n), n=n, aim="best")
        noted: dict[str, JsonValue] = {"orders": told(sized.orders)}
        action = replace(action, after={**action.after, **noted})
        shop.commit([action], batch=content_hash("restock", campaign_id, index), purpose=f"restock after stage {index}")
    orders = as_orders(action.after["orders"])
    seed = seed_of(config.seed, campaign_id, index)
    make_ordered(shop, orders, campaign_id=campaign_id, seed=seed, benchmarks=config.synthesis.benchmarks)
    return sum(order.n for order in orders)
