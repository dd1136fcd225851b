"""One training stage from a stored plan."""

from __future__ import annotations

from pathlib import Path

from flows.campaign import CampaignConfig
from flows.orchestration import step, verb_flow
from flows.settings import Settings
from flows.steps import planning, training, warm_start
from flows.workshop import workshop

start_policy = step("warm start")(warm_start.start_policy)
train = step("train")(training.train_stage)


@verb_flow("train_stage")
def train_stage(home: Path, config: CampaignConfig, mixture: str) -> str:
    """Train the stage that the stored plan `mixture` was made for; returns the id of the policy it made."""
    stored = config.model_dump(mode="json")
    with workshop(Settings(home=home), flow="train_stage", config=stored) as shop:
        row = planning.stored_plan(shop, mixture)
        return train(shop, config, row, campaign_id=row.campaign_id, index=row.stage_index)
