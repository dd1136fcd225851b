"""What a training stage will do, before it starts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from flows.campaign import CampaignConfig
from flows.steps.campaigns import campaign_run, config_of
from flows.steps.planning import stored_plan
from flows.steps.training import stage_file
from flows.workshop import Workshop
from warehouse.records import JsonValue


class Order(NamedTuple):
    """A stage to train: its plan, its configuration, and what people are told of it."""

    mixture_id: str
    config: CampaignConfig
    told: Mapping[str, JsonValue]


def order_of(shop: Workshop, mixture: str, config: Path | None) -> Order:
    """The stage of a stored plan, configured by the file or as its campaign was.

    Raises `UserError` for an unknown plan, or one whose campaign left no configuration.
    """
    plan = stored_plan(shop, mixture)
    run = campaign_run(shop.store, plan.campaign_id)
    settings = config_of(run, plan.campaign_id, config)
    file = stage_file(shop, settings, plan, index=plan.stage_index)
    told: dict[str, JsonValue] = {
        "stage_id": file.stage_id,
        "campaign_id": plan.campaign_id,
        "stage_index": plan.stage_index,
        "mixture_id": plan.mixture_id,
        "scheduler": plan.scheduler,
        "policy_in": plan.policy_id,
        "n_steps": settings.stage.n_steps,
        "n_rollouts": settings.stage.n_steps * settings.stage.prompts_per_step * settings.stage.group_size,
    }
    return Order(plan.mixture_id, settings, told)
