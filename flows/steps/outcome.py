"""What a campaign came to, from the warehouse alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from flows.campaign import CampaignConfig, CampaignIds
from flows.report.changes import as_json, changes
from flows.steps.evaluation import figures
from flows.steps.watching import final_look
from flows.steps.written import told
from flows.workshop import Workshop
from warehouse.records import Evaluation, JsonValue, Stage
from warehouse.store import Store


def outcome(shop: Workshop, config: CampaignConfig, ids: CampaignIds, *, report: str) -> Mapping[str, JsonValue]:
    """The campaign's result: {"run_id", "report", "stages", "before", "after", "change", "baseline"}, with intervals.

    `change` holds what pass@1 and pass@k gained task by task, as {"difference", "low", "high", "verdict"}; the
    baseline has its own, and in `against` what the campaign's end has over the baseline's. Where tasks were written by
    a model, `written` holds how right they are; see `flows.steps.written.told`.
    """
    passes = list(dict.fromkeys(("pass@1", f"pass@{config.evaluation.k}")))
    names = (*passes, "entropy")
    last = final_look(shop.store, ids.campaign)
    start, end = _look(shop.store, ids.campaign, 0), _look(shop.store, ids.campaign, last)
    stages = shop.store.read(Stage, "campaign_id = $campaign AND kind = 'grpo'", {"campaign": ids.campaign})
    result: dict[str, JsonValue] = {
        "run_id": shop.run,
        "campaign_id": ids.campaign,
        "report": report,
        "stages": [_stage(stage) for stage in sorted(stages, key=lambda stage: stage.stage_index)],
        "before": _shown(figures(shop, ids.campaign, 0), names),
        "after": _shown(figures(shop, ids.campaign, last), names),
        "change": _changed(shop.store, start, end, passes),
        "groups": {
            name: {
                "before": _shown(figures(shop, ids.campaign, 0, f"group:{name}"), names),
                "after": _shown(figures(shop, ids.campaign, last, f"group:{name}"), names),
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
        final = final_look(shop.store, ids.baseline)
        other = _look(shop.store, ids.baseline, final)
        result["baseline"] = {
            "scheduler": config.curriculum.baseline,
            "after": _shown(figures(shop, ids.baseline, final), names),
            "change": _changed(shop.store, _look(shop.store, ids.baseline, 0), other, passes),
            "against": _changed(shop.store, other, end, passes),
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


def _look(store: Store, campaign_id: str, index: int) -> Evaluation | None:
    rows = store.read(
        Evaluation,
        "campaign_id = $campaign AND stage_index = $index AND \"group\" = 'all' AND metric = 'pass@1'",
        {"campaign": campaign_id, "index": index},
    )
    return rows[-1] if rows else None


def _changed(
    store: Store, a: Evaluation | None, b: Evaluation | None, metrics: Sequence[str]
) -> Mapping[str, JsonValue]:
    return as_json(changes(store, a, b, metrics).get("all", {}))


def _shown(found: Mapping[str, Mapping[str, float]], names: Sequence[str]) -> Mapping[str, JsonValue]:
    return {name: dict(found[name]) for name in names if name in found}
