"""Where the next stage of a campaign starts, and when there is none."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from planted_campaign import CAMPAIGN, CONFIG, EVEN

from flows.steps.next_stage import place_of
from warehouse.errors import UserError
from warehouse.records import Run, RunStatus


def run(status: RunStatus, name: str) -> Run:
    return Run(
        run=name,
        campaign_id=CAMPAIGN,
        flow="run_campaign",
        status=status,
        config=CONFIG.model_dump(mode="json"),
        code_version="1",
        started_at=datetime.now(UTC),
    )


def test_a_finished_campaign_goes_on_from_its_newest_policy_up_to_a_bound(planted):
    planted.stage(0, EVEN)
    planted.stage(1, EVEN)
    planted.shop.commit([run(RunStatus.FINISHED, "one")], batch="one", purpose="planted")
    found = place_of(planted.shop, None, most_stages=12)
    assert (found.campaign_id, found.stage, found.course.policy) == (CAMPAIGN, 2, "policy1")
    with pytest.raises(UserError, match="has 1 stages, at most 1"):
        place_of(planted.shop, None, most_stages=1)
    planted.shop.commit([run(RunStatus.STARTED, "two")], batch="two", purpose="planted")
    with pytest.raises(UserError, match="is not finished, and its next stages are its own"):
        place_of(planted.shop, None, most_stages=12)
