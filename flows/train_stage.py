"""One training stage from a stored plan."""

from __future__ import annotations

from pathlib import Path

from flows.campaign import CampaignConfig
from flows.events import CHECKPOINT, tell
from flows.orchestration import GPU, step, verb_flow
from flows.settings import Settings
from flows.steps import planning, training, warm_start
from flows.steps.training import Kind
from flows.workshop import Workshop, workshop
from warehouse.records import Mixture

start_policy = step("warm start", shares=GPU)(warm_start.start_policy)


@step("train", retries=1, shares=GPU)
def train(
    shop: Workshop,
    config: CampaignConfig,
    mixture: Mixture,
    *,
    campaign_id: str,
    index: int,
    fresh: bool = False,
    kind: Kind = "grpo",
) -> str:
    """Train stage `index` and tell whoever waits for the checkpoint that it made; returns the policy."""
    policy = training.train_stage(shop, config, mixture, campaign_id=campaign_id, index=index, fresh=fresh, kind=kind)
    if policy != mixture.policy_id:
        tell(CHECKPOINT, policy, {"campaign_id": campaign_id, "stage_index": str(index)})
    return policy


@verb_flow("train_stage")
def train_stage(home: Path, config: CampaignConfig, mixture: str, kind: Kind = "grpo") -> str:
    """Train the stage that the stored plan `mixture` was made for; returns the id of the policy it made."""
    stored = config.model_dump(mode="json")
    with workshop(Settings(home=home), flow="train_stage", config=stored) as shop:
        row = planning.stored_plan(shop, mixture)
        return train(shop, config, row, campaign_id=row.campaign_id, index=row.stage_index, kind=kind)
