"""Which arms the next stage draws from."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flows.artifacts import show_mixture
from flows.campaign import CampaignConfig
from flows.orchestration import step, verb_flow
from flows.settings import Settings
from flows.steps import planning
from flows.workshop import Workshop, workshop
from warehouse.records import JsonValue, Mixture


@step("plan")
def plan(shop: Workshop, config: CampaignConfig, policy: str, *, campaign_id: str, index: int) -> Mixture:
    """The plan of stage `index`, shown beside the plan before."""
    row = planning.plan_mixture(shop, config, policy, campaign_id=campaign_id, index=index)
    show_mixture(row)
    return row


@verb_flow("plan_mixture")
def plan_mixture(home: Path, config: CampaignConfig, policy: str, campaign: str, index: int) -> Mapping[str, JsonValue]:
    """Make and store the plan of stage `index` of a campaign for `policy`; returns its weights and what moved."""
    stored = config.model_dump(mode="json")
    with workshop(Settings(home=home), flow="plan_mixture", config=stored, campaign_id=campaign) as shop:
        row = plan(shop, config, policy, campaign_id=campaign, index=index)
        return {"mixture_id": row.mixture_id, "weights": dict(row.weights), "diff": dict(row.diff), "kl": row.kl}
