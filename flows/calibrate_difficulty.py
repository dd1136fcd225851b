"""How hard every training task is for a policy: probes, posteriors, buckets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flows.campaign import CampaignConfig
from flows.events import THIN, tell
from flows.orchestration import GPU, step, verb_flow
from flows.settings import at_home
from flows.steps import calibration
from flows.steps.current import current
from flows.workshop import workshop
from warehouse.records import JsonValue

calibrate = step("calibrate", shares=GPU)(calibration.calibrate)


@verb_flow("calibrate_difficulty")
def calibrate_difficulty(
    home: Path | None = None, config: CampaignConfig | None = None, policy: str | None = None
) -> Mapping[str, JsonValue]:
    """Calibrate training tasks for `policy` (an id or its start; the newest); returns the size of each bucket.

    Without `config` they are the newest campaign's. A frontier found thin is told as an event.
    """
    stored = config.model_dump(mode="json") if config else {}
    with workshop(at_home(home), flow="calibrate_difficulty", config=stored) as shop:
        settings, policy_id = current(shop, config, policy)
        calibrate(shop, settings, policy_id)
        batches = calibration.stock_batches(shop, settings, policy_id)
        if batches < calibration.THIN_BATCHES:
            tell(THIN, policy_id, {"stock_batches": f"{batches:.2f}"})
        return calibration.bucket_sizes(shop, policy_id)
