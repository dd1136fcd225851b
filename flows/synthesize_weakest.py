"""The weak-spot loop: tasks where the newest policy is weakest, its calibration again, and how the pool moved."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flows.artifacts import show_funnel
from flows.calibrate_difficulty import calibrate
from flows.campaign import CampaignConfig
from flows.orchestration import step, verb_flow
from flows.settings import at_home
from flows.steps import weak_spots
from flows.steps.current import current
from flows.steps.news import handled, news_for
from flows.steps.shift import moved, shape
from flows.workshop import workshop
from warehouse.records import JsonValue

size = step("size")(weak_spots.next_round)
make_ordered = step("synthesise at weak spots")(weak_spots.make_ordered)


@verb_flow("synthesize_weakest")
def synthesize_weakest(
    home: Path | None = None,
    weakest: int = 5,
    n: int = 200,
    seed: int = 0,
    config: CampaignConfig | None = None,
    policy: str | None = None,
    reader: str | None = None,
) -> Mapping[str, JsonValue]:
    """`n` attempts over the `weakest` arms of the newest policy (or `policy`), then that policy calibrated again.

    A policy that was never calibrated, as a campaign's last one, is calibrated first.
    With the name of a `reader`, as on a schedule, only arms that were trained on or evaluated since its last run that
    came so far: without such news nothing is made, so that a policy at rest is not answered every hour.
    Returns {"policy_id", "orders", "left", "n_in", "n_out", "rejected", "buckets", "arms", "distance"}.
    """
    asked: dict[str, JsonValue] = {"weakest": weakest, "n": n, "seed": seed, "policy": policy, "reader": reader}
    with workshop(at_home(home), flow="synthesize_weakest", config=asked) as shop:
        settings, policy_id = current(shop, config, policy)
        if weak_spots.newest_calibration(shop, policy_id) is None:
            calibrate(shop, settings, policy_id)
        before, fresh = shape(shop, settings, policy_id), news_for(shop, reader)
        found = size(shop, settings, policy_id, n_arms=weakest, n=n, seed=seed, among=fresh and fresh.arms)
        unlike = settings.synthesis.benchmarks
        made = make_ordered(shop, found.sized.orders, campaign_id=found.campaign_id, seed=found.seed, benchmarks=unlike)
        show_funnel(made)
        handled(shop, fresh)
        calibrate(shop, settings, policy_id)
        shift = moved(before, shape(shop, settings, policy_id))
        told: dict[str, JsonValue] = {"orders": weak_spots.told(found.sized.orders), "left": dict(found.sized.left)}
        return {"policy_id": policy_id, **told, **made, **shift}
