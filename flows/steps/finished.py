"""Whether a campaign is already done: its checkpoints, snapshots and report verified before anything starts."""

from __future__ import annotations

from collections.abc import Mapping

from blake3 import blake3

from trainer.weights import weights_hash
from warehouse.errors import GradatimError, UserError
from warehouse.records import JsonValue, Policy, Run, Stage
from warehouse.store import Store


class NotWhole(GradatimError):
    """Something that a finished campaign left has changed since and cannot be made again from what is stored."""


def finished_result(store: Store, campaign: str, baseline: str) -> Mapping[str, JsonValue] | None:
    """The result of the newest finished run of a campaign; none when there is none or its report must be written anew.

    Raises `NotWhole` when a checkpoint or a pinned snapshot is gone or is not what its row says.
    """
    runs = store.read(Run, "campaign_id = $id AND flow = 'run_campaign' AND status = 'finished'", {"id": campaign})
    if not runs:
        return None
    _verify_stages(store, (campaign, baseline))
    outputs = runs[-1].outputs
    result = outputs.get("result")
    report = store.home.root / str(outputs.get("report"))
    whole = report.is_file() and blake3(report.read_bytes()).hexdigest() == outputs.get("report_blake3")
    return {**result, "report": str(report)} if whole and isinstance(result, Mapping) else None


def _verify_stages(store: Store, campaigns: tuple[str, ...]) -> None:
    """Check that every policy of the campaigns has the weights that its row says, and every pinned snapshot is kept."""
    kept = {row["snapshot_id"] for row in store.rows("SELECT snapshot_id FROM ducklake_snapshots('lake')")}
    stages = [stage for name in campaigns for stage in store.read(Stage, "campaign_id = $id", {"id": name})]
    for stage in stages:
        if stage.snapshot_id not in kept:
            raise NotWhole(
                f"stage {stage.stage_id} pins snapshot {stage.snapshot_id}, which is gone; "
                "see: gradatim warehouse restore, or gradatim run --new"
            )
    made = {stage.policy_out for stage in stages}
    for policy in store.read(Policy):
        if policy.policy_id in made and policy.weights_hash and _hash(store, policy) != policy.weights_hash:
            raise NotWhole(
                f"checkpoint '{policy.path}' is gone or does not hold the weights that the warehouse says; "
                "see: gradatim warehouse restore, or gradatim run --new"
            )


def _hash(store: Store, policy: Policy) -> str | None:
    try:
        return weights_hash(store.home.root / policy.path)
    except UserError:
        return None
