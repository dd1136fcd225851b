"""Tasks of a campaign that the configured models make: one order a style, all of them from one purse."""

from __future__ import annotations

from flows.campaign import CampaignConfig, CampaignIds
from flows.models import opened
from flows.steps.writing import WritingOrder, write_with
from flows.workshop import Workshop
from warehouse.records import JsonValue, content_hash


def orders_of(config: CampaignConfig, nonce: str = "") -> list[WritingOrder]:
    """What the writer of `[models]` is asked for, spread evenly over the styles; first styles take the remainder."""
    written = config.synthesis.written
    if not config.n_written:
        return []
    seed = int(content_hash("written by models", config.seed, nonce)[:8], 16)
    each, rest = divmod(config.n_written, len(written.styles))
    return [
        WritingOrder(
            style=style,
            n=each + (place < rest),
            seed=seed,
            origin=written.origin,
            n_votes=written.n_votes,
            benchmarks=config.synthesis.benchmarks,
        )
        for place, style in enumerate(written.styles)
        if each + (place < rest)
    ]


def ask_models(shop: Workshop, config: CampaignConfig, ids: CampaignIds) -> None:
    """Have the campaign's tasks written and checked; what was used, and why it stopped early, are outputs of the run.

    What was answered is not asked again. A ceiling of `[models.budget]` ends it and keeps what is done; the campaign
    goes on. Raises `UserError` where there is nothing to write from.
    """
    orders = orders_of(config, ids.nonce)
    if not orders:
        return
    used: JsonValue = None
    stopped: dict[str, JsonValue] = {}
    with opened(config.models, shop.home) as models:
        for order in orders:
            found = write_with(shop, order, models, campaign_id=ids.campaign)
            used = found["used"]
            if found["stopped"] is not None:
                stopped[order.style] = found["stopped"]
    shop.outputs["asked_of_models"] = {"n": config.n_written, "used": used, "stopped": stopped}
