"""Where a campaign's next stage starts."""

from __future__ import annotations

from typing import NamedTuple

from flows.campaign import CampaignConfig
from flows.steps.campaigns import FLOW, campaign_run, config_of, line_of
from flows.steps.stage_series import evaluated
from flows.steps.steering import Course, outset
from flows.steps.watching import course
from flows.workshop import Workshop
from warehouse.errors import UserError
from warehouse.records import Run, RunStatus


class Place(NamedTuple):
    """A line of training, its own configuration, the place of its next stage, and the course that this starts on."""

    campaign_id: str
    config: CampaignConfig
    stage: int
    course: Course


def place_of(shop: Workshop, campaign: str | None, *, most_stages: int) -> Place:
    """The next stage of a campaign by id, its start or its baseline's id; of the newest finished one without.

    Raises `UserError` when the campaign is unfinished, was ended by its watch, or has `most_stages` stages.
    """
    run = campaign_run(shop.store, campaign, finished=True)
    line = line_of(run, campaign)
    runs = shop.store.read(Run, f"flow = '{FLOW}' AND campaign_id = $id", {"id": run.campaign_id})
    if max(runs, key=lambda one: one.started_at).status is not RunStatus.FINISHED:
        raise UserError(f"campaign {line} is not finished, and its next stages are its own; see: gradatim run --help")
    config, looks = config_of(run, line), evaluated(shop.store, line)
    if not looks:
        raise UserError(f"campaign {line} was never evaluated, nothing to go on from; see: gradatim run --help")
    newest = max(looks)
    if newest >= most_stages:
        raise UserError(
            f"campaign {line} has {newest} stages, at most {most_stages} are allowed; "
            f"to go on: --param most_stages={newest + 1}"
        )
    start = outset(config, looks[0])
    here = course(shop.store, config, looks[newest], campaign_id=line, index=newest) if newest else start
    if here.ended is not None:
        raise UserError(f"campaign {line} was ended by its watch: {here.ended}; see: gradatim watch --once")
    return Place(line, config, newest + 1, here)
