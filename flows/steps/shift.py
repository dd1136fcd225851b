"""How a pool's distribution moved for a policy: tasks by bucket and by arm, before and after."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import NamedTuple

from curriculum.buckets import ORDER
from flows.campaign import CampaignConfig
from flows.steps.weak_spots import arms_of
from flows.workshop import Workshop
from warehouse.records import Calibration, JsonValue


class Shape(NamedTuple):
    """Tasks by bucket, and by arm: how many, their mean pass rate and their expected mixed groups."""

    buckets: Mapping[str, int]
    arms: Mapping[str, Mapping[str, float]]


def shape(shop: Workshop, config: CampaignConfig, policy_id: str) -> Shape:
    """The pool as the newest calibrations of a policy see it."""
    rows = shop.store.read(Calibration, "policy_id = $id", {"id": policy_id})
    sizes = Counter(str(row.bucket) for row in rows)
    arms = {
        arm.arm: {"tasks": arm.n_tasks, "pass_rate": arm.pass_rate, "mixed": arm.n_tasks * arm.p_mixed}
        for arm in arms_of(shop, config, policy_id)
    }
    return Shape({bucket.value: sizes[bucket.value] for bucket in ORDER}, arms)


def moved(before: Shape, after: Shape) -> Mapping[str, JsonValue]:
    """{"buckets", "arms", "distance"}: each before and after, arms that did not move left out.

    `distance` is the total variation distance between the two distributions over buckets and over arms, in [0, 1].
    """
    counts = [{arm: row["tasks"] for arm, row in one.arms.items()} for one in (before, after)]
    arms = {
        arm: {
            f"{name}_{when}": round(one.arms.get(arm, {}).get(name, 0.0), 4)
            for name in ("tasks", "pass_rate", "mixed")
            for when, one in (("before", before), ("after", after))
        }
        for arm in sorted({*before.arms, *after.arms})
        if counts[0].get(arm) != counts[1].get(arm)
    }
    return {
        "buckets": {
            name: {"before": before.buckets.get(name, 0), "after": after.buckets.get(name, 0)}
            for name in dict.fromkeys([*before.buckets, *after.buckets])
        },
        "arms": dict(arms),
        "distance": {
            "buckets": total_variation(before.buckets, after.buckets),
            "arms": total_variation(counts[0], counts[1]),
        },
    }


def total_variation(old: Mapping[str, float], new: Mapping[str, float]) -> float:
    """Half of the summed differences of two distributions given as counts; 0 when one of them is empty.

    >>> total_variation({"a": 3, "b": 1}, {"a": 1, "b": 1})
    0.25
    """
    sums = sum(old.values()), sum(new.values())
    if not all(sums):
        return 0.0
    names = {*old, *new}
    return round(sum(abs(old.get(n, 0) / sums[0] - new.get(n, 0) / sums[1]) for n in names) / 2, 6)
