"""Plans: which arms the next stage draws from, given what is known of the policy."""

from __future__ import annotations

from dataclasses import replace

from curriculum.mixture import Plan, plan, unplanned
from curriculum.summary import ArmSummary, Earlier, family_of, summarize
from flows.campaign import CampaignConfig
from flows.steps.policies import policy_row
from flows.steps.pools import families_of
from flows.workshop import Workshop
from trainer.steerable import PLANNED
from warehouse.errors import UserError
from warehouse.records import Mixture, content_hash


def plan_mixture(shop: Workshop, config: CampaignConfig, policy: str, *, campaign_id: str, index: int) -> Mixture:
    """The plan of stage `index` for a policy, from its calibrations; stored once and found again after that."""
    policy_id = policy_row(shop, policy).policy_id
    known = shop.store.read(
        Mixture, "campaign_id = $campaign AND stage_index = $index", {"campaign": campaign_id, "index": index}
    )
    if known:
        return known[-1]
    last = last_mixture(shop, campaign_id, before=index)
    made = propose(shop, config, policy_id, previous=last)
    row = replace(made.record(campaign_id=campaign_id, stage_index=index), previous=last.mixture_id if last else None)
    shop.commit([row], batch=content_hash("plan", campaign_id, index), purpose=f"plan stage {index}")
    return row


def propose(shop: Workshop, config: CampaignConfig, policy_id: str, *, previous: Mixture | None) -> Plan:
    """The plan that the newest calibrations of `policy_id` call for; nothing is stored.

    A scheduler that follows no plan is given what it draws from: each arm's share of the pool.
    """
    arms = arms_of(shop, config, policy_id)
    make = plan if config.curriculum.scheduler == PLANNED else unplanned
    return make(
        arms,
        policy_id=policy_id,
        snapshot_id=shop.store.snapshot(),
        previous=as_plan(previous),
        scheduler=config.curriculum.scheduler,
        config=config.curriculum.mixture,
    )


def arms_of(shop: Workshop, config: CampaignConfig, policy_id: str) -> list[ArmSummary]:
    """What the newest calibrations of a policy, and those of its ancestors, say of each arm of the campaign.

    A policy may have been calibrated by other campaigns, on tasks that this one does not train on.
    """
    known = shop.store.rows("SELECT arm, n, c FROM current_calibrations WHERE policy_id = $id", {"id": policy_id})
    wanted = families_of(shop, config)
    rows = [row for row in known if family_of(str(row["arm"])) in wanted]
    return summarize(
        [str(row["arm"]) for row in rows],
        [row["n"] for row in rows],
        [row["c"] for row in rows],
        group=config.stage.group_size,
        earlier=earlier_evidence(shop, config, policy_id),
    )


def earlier_evidence(shop: Workshop, config: CampaignConfig, policy_id: str) -> list[Earlier]:
    """What the ancestors of a policy showed of every task of the campaign's that they tried, by newest calibrations."""
    wanted = families_of(shop, config)
    rows = shop.store.named("earlier_evidence", policy=policy_id).to_pylist()
    return [
        Earlier(str(row["arm"]), int(row["n"]), int(row["c"]), int(row["generations_back"]))
        for row in rows
        if family_of(str(row["arm"])) in wanted
    ]


def stored_plan(shop: Workshop, mixture: str) -> Mixture:
    """The plan with the id `mixture`, or that id's start; raises `UserError` unless exactly one fits."""
    rows = shop.store.read(Mixture, "starts_with(mixture_id, $id)", {"id": mixture})
    if len(rows) != 1:
        raise UserError(
            f"plan '{mixture}' matches {len(rows)} plans, must match 1; see: gradatim sql --named mixture_over_time"
        )
    return rows[0]


def last_mixture(shop: Workshop, campaign_id: str, *, before: int) -> Mixture | None:
    """The campaign's newest plan for a stage before `before`."""
    rows = shop.store.read(
        Mixture, "campaign_id = $campaign AND stage_index < $index", {"campaign": campaign_id, "index": before}
    )
    return max(rows, key=lambda row: row.stage_index, default=None)


def as_plan(row: Mixture | None) -> Plan | None:
    """What the next plan needs of the last one."""
    if row is None:
        return None
    return Plan(
        snapshot_id=row.snapshot_id, policy_id=row.policy_id, scheduler=row.scheduler, weights=dict(row.weights)
    )
