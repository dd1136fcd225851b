"""What a training stage will do, before it starts."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, cast, get_args

from flows.campaign import CampaignConfig
from flows.steps.campaigns import campaign_run, config_of
from flows.steps.planning import stored_plan
from flows.steps.training import Kind, stage_file
from flows.workshop import Workshop
from warehouse.errors import UserError
from warehouse.records import JsonValue


class Order(NamedTuple):
    """A stage to train: its plan, its configuration, and what people are told of it."""

    mixture_id: str
    config: CampaignConfig
    told: Mapping[str, JsonValue]


def kind_of(text: str) -> Kind:
    """The kind of stage that `text` names; raises `UserError` for any other."""
    for kind in get_args(Kind):
        if text == kind:
            return cast("Kind", text)
    raise UserError(f"stage kind is '{text}', must be {' or '.join(get_args(Kind))}; see: gradatim train --help")


def order_of(shop: Workshop, mixture: str, config: Path | None, kind: Kind = "grpo") -> Order:
    """The stage of a stored plan, configured by the file or as its campaign was.

    Raises `UserError` for an unknown plan, or one whose campaign left no configuration.
    """
    plan = stored_plan(shop, mixture)
    run = campaign_run(shop.store, plan.campaign_id)
    settings = config_of(run, plan.campaign_id, config)
    file = stage_file(shop, settings, plan, index=plan.stage_index, kind=kind)
    n_steps = file.last_step - file.first_step
    per_step = settings.stage.prompts_per_step * settings.stage.group_size if kind == "grpo" else 0
    told: dict[str, JsonValue] = {
        "stage_id": file.stage_id,
        "campaign_id": plan.campaign_id,
        "stage_index": plan.stage_index,
        "mixture_id": plan.mixture_id,
        "scheduler": plan.scheduler,
        "policy_in": plan.policy_id,
        "kind": kind,
        "n_steps": n_steps,
        "n_rollouts": n_steps * per_step,
    }
    return Order(plan.mixture_id, settings, told)
