"""What a flow works on when it is not told: the newest campaign's configuration, and the newest policy."""

from __future__ import annotations

from typing import NamedTuple

from flows.campaign import CampaignConfig
from flows.steps.campaigns import FLOW, campaign_run, config_of, line_of
from flows.steps.policies import policy_row
from flows.steps.stage_series import evaluated
from flows.steps.watching import final_look
from flows.workshop import Workshop
from warehouse.errors import UserError
from warehouse.records import Stage
from warehouse.store import Store


class Current(NamedTuple):
    """A configuration and the full id of a policy."""

    config: CampaignConfig
    policy_id: str


def current(shop: Workshop, config: CampaignConfig | None, policy: str | None) -> Current:
    """`config`, else the newest campaign's, else the defaults; `policy` by id or its start, else `newest_policy`.

    Raises `UserError` when the warehouse holds no such policy.
    """
    if config is None:
        config = newest_config(shop)
    if policy is None:
        policy = newest_policy(shop.store)
        if policy is None:
            raise UserError("this warehouse holds no policy; see: gradatim run --help")
    return Current(config, policy_row(shop, policy).policy_id)


def newest_policy(store: Store) -> str | None:
    """The policy that the newest campaign's own line stands at, never its baseline's; without a campaign the newest.

    After a last roll-back it is the one gone back to; a stage trained since, by hand or on a schedule, counts.
    """
    rows = store.rows("SELECT max_by(policy_id, nth) AS id FROM current_policies")
    newest = str(rows[0]["id"]) if rows and rows[0]["id"] else None
    if not store.rows(f"SELECT 1 AS there FROM runs WHERE flow = '{FLOW}' LIMIT 1"):
        return newest
    line = line_of(campaign_run(store, None), None)
    looks, stages = evaluated(store, line), store.read(Stage, "campaign_id = $id AND status = 'finished'", {"id": line})
    if not looks or any(stage.policy_out == newest and stage.stage_index > max(looks) for stage in stages):
        return newest
    return looks[final_look(store, line)]


def newest_config(shop: Workshop) -> CampaignConfig:
    """The configuration of the newest campaign, the defaults without one."""
    if not shop.store.rows(f"SELECT 1 AS there FROM runs WHERE flow = '{FLOW}' LIMIT 1"):
        return CampaignConfig()
    run = campaign_run(shop.store, None)
    return config_of(run, line_of(run, None))


def origin_of(shop: Workshop) -> str:
    """Where `newest_config` comes from, in words."""
    if not shop.store.rows(f"SELECT 1 AS there FROM runs WHERE flow = '{FLOW}' LIMIT 1"):
        return "the defaults, as there is no campaign"
    return f"campaign {line_of(campaign_run(shop.store, None), None)[:8]}"
