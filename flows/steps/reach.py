"""Which imported and written tasks a policy can read: the others stay in the warehouse, out of its reach."""

from __future__ import annotations

from collections.abc import Sequence

from flows.campaign import CampaignConfig
from flows.steps.campaigns import reading
from flows.steps.policies import load_policy
from flows.workshop import Workshop
from warehouse.records import JsonValue, Task


def reach(shop: Workshop, config: CampaignConfig, policy_id: str, sources: Sequence[str]) -> CampaignConfig:
    """The campaign with the sources, and styles of writing, of which the policy can read at least one task.

    How many of each one's accepted tasks it can read is noted among the run's outputs.
    """
    if not sources:
        return config
    policy = load_policy(shop, policy_id)
    counts: dict[str, JsonValue] = {}
    readable = []
    for name in sources:
        where = "(source = $name OR family = $name) AND status = 'accepted'"
        tasks = shop.store.read(Task, where, {"name": name})
        n = sum(policy.reads([task.prompt for task in tasks], max_tokens=config.sampling.max_tokens))
        counts[name] = {"tasks": len(tasks), "within_reach": n}
        if n:
            readable.append(name)
    shop.outputs["sources"] = counts
    return reading(config, readable)
