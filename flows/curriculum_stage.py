"""The next stage of a finished campaign: restocked where its frontier is thin, planned afresh, trained, measured."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flows.calibrate_difficulty import calibrate
from flows.evaluate_policy import measure
from flows.orchestration import step, verb_flow
from flows.plan_mixture import plan
from flows.settings import at_home
from flows.steps import next_stage, restocking
from flows.train_stage import train
from flows.watch_collapse import watch
from flows.workshop import workshop
from warehouse.records import JsonValue

restock = step("restock")(restocking.restock)


@verb_flow("curriculum_stage")
def curriculum_stage(
    home: Path | None = None, campaign: str | None = None, most_stages: int = 12
) -> Mapping[str, JsonValue]:
    """Train one more stage of a campaign (the newest finished one without a name), from where its watch left it.

    Returns {"campaign_id", "stage_index", "policy_in", "policy_out", "restocked", "ended"}. Raises `UserError` while
    the campaign itself is unfinished, when the watch ended it, and past `most_stages` stages in all: a frontier that
    stays thin must not train for ever.
    """
    with workshop(at_home(home), flow="curriculum_stage", config={"campaign": campaign}) as shop:
        place = next_stage.place_of(shop, campaign, most_stages=most_stages)
        line, index, course = place.campaign_id, place.stage, place.course
        n = restock(shop, course.config, campaign_id=line, index=index - 1) if index > 1 else 0
        calibrate(shop, course.config, course.policy)
        mixture = plan(shop, course.config, course.policy, campaign_id=line, index=index)
        policy = train(shop, course.config, mixture, campaign_id=line, index=index, fresh=course.fresh)
        measure(shop, place.config, policy, campaign_id=line, index=index)
        after = watch(shop, place.config, policy, campaign_id=line, index=index)
        return {
            "campaign_id": line,
            "stage_index": index,
            "policy_in": course.policy,
            "policy_out": policy,
            "restocked": n,
            "ended": after.ended,
        }
