"""Policies by the id that the warehouse knows them by."""

from __future__ import annotations

from flows.workshop import Workshop
from trainer import policies
from trainer.policies import LoadedPolicy
from warehouse.errors import UserError
from warehouse.records import Policy


def policy_row(shop: Workshop, policy_id: str) -> Policy:
    """The row of a policy, by its id or the start of it; raises `UserError` when none or several match."""
    found = shop.store.read(Policy, "starts_with(policy_id, $id)", {"id": policy_id})
    if len(found) != 1:
        raise UserError(
            f"policy '{policy_id}' matches {len(found)} rows, must match 1; "
            "see: gradatim sql 'select policy_id, name, path from current_policies'"
        )
    return found[0]


def load_policy(shop: Workshop, policy_id: str) -> LoadedPolicy:
    """The policy in memory; raises `UserError` when its checkpoint is gone or is not what the row says."""
    row = policy_row(shop, policy_id)
    loaded = policies.load(row.path or row.name, shop.home.root)
    if loaded.policy_id != row.policy_id:
        raise UserError(f"checkpoint '{row.path}' holds policy {loaded.policy_id}, the warehouse says {row.policy_id}")
    from flows.elsewhere import drawn_elsewhere

    return drawn_elsewhere(shop.settings, loaded, shown=True)
