"""Tasks from a model: written, checked by a model of another lineage, committed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flows.orchestration import step, verb_flow
from flows.settings import Settings
from flows.steps import writing
from flows.workshop import workshop
from synth.engines import ModelsConfig
from warehouse.records import JsonValue

write = step("write")(writing.write_tasks)


@verb_flow("synthesize_written")
def synthesize_written(home: Path, order: writing.WritingOrder, models: ModelsConfig) -> Mapping[str, JsonValue]:
    """`order.n` tasks by the writer in one style; returns {"n_in", "n_out", "rejected", "repairs", "used", "stopped"}.

    The same order again asks nothing that was answered.
    """
    campaign = writing.campaign_of(order, models)
    asked: dict[str, JsonValue] = {**order.identity, "models": models.identity}
    with workshop(Settings(home=home), flow="synthesize_written", config=asked, campaign_id=campaign) as shop:
        return write(shop, order, models, campaign_id=campaign)
