"""What a campaign came to, from the warehouse alone."""

from __future__ import annotations

from collections.abc import Mapping

from flows.campaign import CampaignConfig, CampaignIds
from flows.steps.evaluation import figures
from flows.steps.watching import final_look
from flows.steps.written import told
from flows.workshop import Workshop
from warehouse.records import JsonValue, Stage

SHOWN = ("pass@1", "pass@8", "entropy")


def outcome(shop: Workshop, config: CampaignConfig, ids: CampaignIds, *, report: str) -> Mapping[str, JsonValue]:
    """The campaign's result: {"run_id", "report", "stages", "before", "after", "baseline"}, figures with intervals.

    Where tasks were written by a model, `written` holds how right they are; see `flows.steps.written.told`.
    """
    last = final_look(shop.store, ids.campaign)
    stages = shop.store.read(Stage, "campaign_id = $campaign AND kind = 'grpo'", {"campaign": ids.campaign})
    result: dict[str, JsonValue] = {
        "run_id": shop.run,
        "campaign_id": ids.campaign,
        "report": report,
        "stages": [_stage(stage) for stage in sorted(stages, key=lambda stage: stage.stage_index)],
        "before": _shown(figures(shop, ids.campaign, 0)),
        "after": _shown(figures(shop, ids.campaign, last)),
        "groups": {
            name: {
                "before": _shown(figures(shop, ids.campaign, 0, f"group:{name}")),
                "after": _shown(figures(shop, ids.campaign, last, f"group:{name}")),
            }
            for name in config.evaluation.groups
        },
    }
    if "sources" in shop.outputs:
        result["sources"] = shop.outputs["sources"]
    if "ended" in shop.outputs:
        result["ended"] = shop.outputs["ended"]
    if config.writing.n_proposals:
        result["written"] = told(shop, ids.campaign)
    if config.curriculum.baseline is not None:
        result["baseline"] = {
            "scheduler": config.curriculum.baseline,
            "after": _shown(figures(shop, ids.baseline, final_look(shop.store, ids.baseline))),
        }
    return result


def _stage(stage: Stage) -> Mapping[str, JsonValue]:
    return {
        "stage_id": stage.stage_id,
        "index": stage.stage_index,
        "snapshot_id": stage.snapshot_id,
        "policy_in": stage.policy_in,
        "policy_out": stage.policy_out,
        "n_steps": stage.n_steps,
        "n_rollouts": stage.n_rollouts,
    }


def _shown(found: Mapping[str, Mapping[str, float]]) -> Mapping[str, JsonValue]:
    return {name: dict(found[name]) for name in SHOWN if name in found}
