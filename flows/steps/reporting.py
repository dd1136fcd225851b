"""The report of a campaign, and the outputs by which a finished campaign is recognised."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from blake3 import blake3

from flows.campaign import CampaignConfig, CampaignIds
from flows.report import build
from flows.steps.campaigns import baseline_of, campaign_run
from flows.steps.outcome import outcome
from flows.workshop import Workshop, relative
from warehouse.errors import UserError
from warehouse.records import JsonValue, Run
from warehouse.store import Store


def write_report(shop: Workshop, config: CampaignConfig, ids: CampaignIds) -> None:
    """Write the campaign's report and note it, its hash and the campaign's result among the run's outputs."""
    path = build(shop.store, ids.campaign, shop.home.reports / f"{ids.campaign}.html", baseline=ids.baseline)
    shop.outputs["baseline"] = ids.baseline if config.curriculum.baseline is not None else None
    shop.outputs["report"] = relative(shop.home, path)
    shop.outputs["report_blake3"] = blake3(path.read_bytes()).hexdigest()
    shop.outputs["result"] = dict(outcome(shop, config, ids, report=str(path)))


def rebuild_report(store: Store, campaign: str | None, out: Path | None) -> Mapping[str, JsonValue]:
    """Write a campaign's report from what the warehouse holds now: {"report", "campaign_id", "before", "after", ...}.

    Without `out` it lies beside the campaign's own, named after the snapshot. Raises `UserError` for the path of a
    campaign's own report, by whose hash a finished campaign is recognised.
    """
    run, path = _place(store, campaign, out)
    written = build(store, str(run.campaign_id), path, baseline=baseline_of(run))
    return {
        "report": str(written),
        **{side: _side(run, side) for side in ("before", "after")},
        "campaign_id": run.campaign_id,
        "snapshot_id": store.snapshot(),
        "run_id": run.run,
    }


def foreseen(store: Store, campaign: str | None, out: Path | None) -> Mapping[str, JsonValue]:
    """What `rebuild_report` would write, and whether a file is there already; raises as it does."""
    run, path = _place(store, campaign, out)
    return {
        "report": str(path),
        "campaign_id": run.campaign_id,
        "snapshot_id": store.snapshot(),
        "run_id": run.run,
        "replaces": path.is_file(),
    }


def _side(run: Run, side: str) -> JsonValue:
    """The held-out figures that a run noted as its result, before or after it."""
    result = run.outputs.get("result")
    return result.get(side) if isinstance(result, Mapping) else None


def _place(store: Store, campaign: str | None, out: Path | None) -> tuple[Run, Path]:
    """The finished run of the campaign, and the file that its report goes to."""
    run = campaign_run(store, campaign, finished=True)
    campaign_id, snapshot = str(run.campaign_id), store.snapshot()
    path = out or store.home.reports / f"{campaign_id}-at-{snapshot}.html"
    if path.resolve() == (store.home.reports / f"{campaign_id}.html").resolve():
        raise UserError(f"{path} is the campaign's own report, which stays as it is; choose another: --out FILE")
    if path.is_dir():
        raise UserError(f"{path} is a folder, a report is a file; choose another: --out FILE")
    return run, path
