"""How hard every training task is for a policy: probes, posteriors, buckets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flows.campaign import CampaignConfig
from flows.orchestration import step, verb_flow
from flows.settings import Settings
from flows.steps import calibration
from flows.workshop import workshop
from warehouse.records import JsonValue

calibrate = step("calibrate")(calibration.calibrate)


@verb_flow("calibrate_difficulty")
def calibrate_difficulty(home: Path, config: CampaignConfig, policy: str) -> Mapping[str, JsonValue]:
    """Calibrate the campaign's training tasks for `policy` (an id or its start); returns the size of each bucket."""
    stored = config.model_dump(mode="json")
    with workshop(Settings(home=home), flow="calibrate_difficulty", config=stored) as shop:
        return calibration.bucket_sizes(shop, calibrate(shop, config, policy))
