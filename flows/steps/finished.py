"""Whether a campaign is already done: its checkpoints, snapshots and report verified before anything starts."""

from __future__ import annotations

from collections.abc import Mapping

from blake3 import blake3

from trainer.weights import weights_hash
from warehouse.errors import UserError
from warehouse.records import JsonValue, Policy, Run, Stage
from warehouse.store import Store


def finished_result(store: Store, campaign: str, baseline: str) -> Mapping[str, JsonValue] | None:
    """The result of the newest finished run of a campaign, when all that it left is still whole; else none."""
    runs = store.read(Run, "campaign_id = $id AND flow = 'run_campaign' AND status = 'finished'", {"id": campaign})
    if not runs:
        return None
    outputs = runs[-1].outputs
    result = outputs.get("result")
    report = store.home.root / str(outputs.get("report"))
    whole = report.is_file() and blake3(report.read_bytes()).hexdigest() == outputs.get("report_blake3")
    if not whole or not isinstance(result, Mapping) or not _stages_whole(store, (campaign, baseline)):
        return None
    return {**result, "report": str(report)}


def _stages_whole(store: Store, campaigns: tuple[str, ...]) -> bool:
    """Whether every policy of the campaigns has the weights that its row says, and every pinned snapshot is kept."""
    kept = {row["snapshot_id"] for row in store.rows("SELECT snapshot_id FROM ducklake_snapshots('lake')")}
    stages = [stage for name in campaigns for stage in store.read(Stage, "campaign_id = $id", {"id": name})]
    made = {stage.policy_out for stage in stages}
    policies = [policy for policy in store.read(Policy) if policy.policy_id in made and policy.weights_hash]
    return (
        bool(stages)
        and all(stage.snapshot_id in kept for stage in stages)
        and all(_whole(store, policy) for policy in policies)
    )


def _whole(store: Store, policy: Policy) -> bool:
    try:
        return weights_hash(store.home.root / policy.path) == policy.weights_hash
    except UserError:
        return False
