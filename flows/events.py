"""Events that automations wait for; their names stay. Told to a real server only; they never fail a flow."""

from __future__ import annotations

import os
from collections.abc import Mapping

CHECKPOINT = "gradatim.checkpoint.made"
"""A training stage has made a policy; resource `gradatim.policy.ID`."""
THIN = "gradatim.frontier.thin"
"""The tasks hold fewer batches of mixed groups than the bar; resource `gradatim.policy.ID`."""


def tell(event: str, policy_id: str, facts: Mapping[str, str]) -> None:
    """Emit `event` about a policy with `facts` as its payload.

    Without `PREFECT_API_URL` nothing is told: the embedded server runs no automations.
    """
    if not os.environ.get("PREFECT_API_URL"):
        return
    from prefect.events import emit_event

    emit_event(
        event,
        resource={"prefect.resource.id": f"gradatim.policy.{policy_id}", "gradatim.policy": policy_id},
        payload=dict(facts),
    )
