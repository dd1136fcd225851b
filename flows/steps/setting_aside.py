"""Tasks that a stage was paid for without solving them: set aside until a person or a newer grader has looked."""

from __future__ import annotations

from warehouse.records import Status, StatusChange
from warehouse.store import Store

PAID = 0.5
"""Reward above which a rollout counts as paid for."""
REASON = "hidden_tests: rewarded without passing its tests"


def set_aside(store: Store, campaign_id: str, index: int) -> list[StatusChange]:
    """The quarantine of every task that stage `index` of a campaign rewarded although its verifier said no."""
    rows = store.rows(
        "SELECT DISTINCT task_id FROM rollouts WHERE purpose = 'train' AND judgement <> 'PASS' AND reward > $paid"
        " AND stage_id IN (SELECT stage_id FROM stages WHERE campaign_id = $campaign AND stage_index = $index)"
        " ORDER BY task_id",
        {"paid": PAID, "campaign": campaign_id, "index": index},
    )
    return [StatusChange(task_id=str(row["task_id"]), status=Status.QUARANTINED, reason=REASON) for row in rows]
