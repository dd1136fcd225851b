"""The report of a campaign, and the outputs by which a finished campaign is recognised."""

from __future__ import annotations

from blake3 import blake3

from flows.campaign import CampaignConfig, CampaignIds
from flows.report import build
from flows.steps.outcome import outcome
from flows.workshop import Workshop, relative


def write_report(shop: Workshop, config: CampaignConfig, ids: CampaignIds) -> None:
    """Write the campaign's report and note it, its hash and the campaign's result among the run's outputs."""
    path = build(shop.store, ids.campaign, shop.home.reports / f"{ids.campaign}.html", baseline=ids.baseline)
    shop.outputs["report"] = relative(shop.home, path)
    shop.outputs["report_blake3"] = blake3(path.read_bytes()).hexdigest()
    shop.outputs["result"] = dict(outcome(shop, config, ids, report=str(path)))
