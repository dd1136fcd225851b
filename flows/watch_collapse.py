"""What the newest stages of a campaign say about collapse, and what is done about it."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flows.artifacts import show_health
from flows.campaign import CampaignConfig
from flows.orchestration import step, verb_flow
from flows.settings import Settings
from flows.steps import watching
from flows.steps.campaigns import campaign_run, config_of, line_of
from flows.steps.monitor import panel
from flows.steps.stage_series import evaluated
from flows.steps.steering import Course
from flows.workshop import Workshop, workshop
from warehouse.records import JsonValue


@step("watch")
def watch(shop: Workshop, config: CampaignConfig, policy: str, *, campaign_id: str, index: int) -> Course:
    """Look at stage `index` and act; the campaign's health is shown."""
    course = watching.watch_stage(shop, config, policy, campaign_id=campaign_id, index=index)
    show_health(shop, campaign_id)
    return course


@verb_flow("watch_collapse")
def watch_collapse(home: Path, campaign: str | None = None) -> Mapping[str, JsonValue]:
    """Look at every evaluated stage of a campaign (the newest without one) that was not looked at; returns its panel.

    What it decides is carried out when the campaign goes on.
    """
    with workshop(Settings(home=home), flow="watch_collapse", config={"campaign": campaign}) as shop:
        run = campaign_run(shop.store, campaign)
        line = line_of(run, campaign)
        config = config_of(run, line)
        for index, policy in sorted(evaluated(shop.store, line).items()):
            if index:
                watch(shop, config, policy, campaign_id=line, index=index)
        return panel(shop.store, line)
