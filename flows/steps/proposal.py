"""The plan that a campaign's next stage would be given, and plans in files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from curriculum import plan_file
from curriculum.mixture import Plan
from flows.campaign import CampaignConfig
from flows.steps.campaigns import campaign_run, config_of, line_of
from flows.steps.planning import as_plan, last_mixture, propose
from flows.steps.policies import policy_row
from flows.workshop import Workshop
from warehouse.errors import UserError
from warehouse.records import JsonValue, Mixture, Stage


class Target(NamedTuple):
    """What a plan is made for: a line of training, its stage, the policy it starts from, and how it is configured."""

    campaign_id: str
    stage_index: int
    policy_id: str
    config: CampaignConfig


class Proposal(NamedTuple):
    """A plan for a target, the stored plan before it, what to know of it, and the stage trained in its place."""

    target: Target
    plan: Plan
    previous: Mixture | None
    notes: tuple[str, ...]
    trained: str | None


def target_of(shop: Workshop, campaign: str | None, policy: str | None, config: Path | None) -> Target:
    """The stage that follows `policy` in a campaign; the newest campaign's newest calibrated policy by default.

    Raises `UserError` for a campaign or policy that is not there, or a policy that was never calibrated.
    """
    run = campaign_run(shop.store, campaign)
    line = line_of(run, campaign)
    settings = config_of(run, line, config)
    made = _policies_of(shop, line)
    calibrated = {row["policy_id"] for row in shop.store.rows("SELECT DISTINCT policy_id FROM current_calibrations")}
    if policy is not None:
        chosen = policy_row(shop, policy).policy_id
    else:
        known = [policy_id for policy_id in made if policy_id in calibrated]
        if not known:
            raise UserError(f"campaign {line} has no calibrated policy; see: gradatim calibrate --help")
        chosen = known[-1]
    if chosen not in calibrated:
        raise UserError(
            f"policy {chosen} was not calibrated, so that nothing is known to plan from; first: gradatim calibrate "
            f"--policy {chosen[:8]}; see: gradatim plan --help"
        )
    return Target(line, made.get(chosen, max(made.values(), default=0)) + 1, chosen, settings)


def proposed(shop: Workshop, target: Target) -> Proposal:
    """The plan that the newest calibrations call for; nothing is stored."""
    previous = last_mixture(shop, target.campaign_id, before=target.stage_index)
    made = propose(shop, target.config, target.policy_id, previous=previous)
    place = {"id": target.campaign_id, "index": target.stage_index}
    done = shop.store.read(Stage, "campaign_id = $id AND stage_index = $index AND status = 'finished'", place)
    trained = done[-1].stage_id if done else None
    return Proposal(target, made, previous, (*made.notes, *_after(shop, target)), trained)


def told(proposal: Proposal) -> Mapping[str, JsonValue]:
    """A proposal as data: for what it is made, its weights, what moved from the plan before and why, its KL.

    `trained` is the stage that this place of the campaign was trained by already, none where it is still to come.
    """
    target, plan, previous, notes = proposal.target, proposal.plan, proposal.previous, proposal.notes
    return {
        "campaign_id": target.campaign_id,
        "stage_index": target.stage_index,
        "policy_id": target.policy_id,
        "trained": proposal.trained,
        "scheduler": plan.scheduler,
        "previous": previous.mixture_id if previous else None,
        "mixture_id": None,
        "weights": dict(plan.weights),
        "diff": {arm: dict(change) for arm, change in plan.diff.items()},
        "kl": plan.kl,
        "notes": list(notes),
    }


def checked(file: Path, previous: Mixture | None) -> Mapping[str, JsonValue]:
    """What the plan in `file` says, once it is whole: {"file", "plan_id", "n_arms", "sum", "kl"}.

    `kl` is its distance from `previous`, which it may not leave by more than its own trust region. Raises
    `UserError` with file and line for weights that do not sum to 1, and for anything else that is no plan.
    """
    if not file.is_file():
        raise UserError(f"plan '{file}' is not there; see: gradatim plan --help")
    try:
        text = file.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise UserError(f"plan '{file}' is not text in UTF-8; see: gradatim plan --help") from error
    plan = plan_file.read(text, file=str(file))
    last = as_plan(previous)
    if last is not None:
        plan_file.check(plan, file=str(file), previous=last)
    return {
        "file": str(file),
        "plan_id": plan.plan_id,
        "n_arms": len(plan.weights),
        "sum": sum(plan.weights.values()),
        "kl": plan_file.distance(plan.weights, last.weights) if last else None,
    }


def write_plan(plan: Plan, out: Path) -> None:
    """Write a plan to `out`, as JSON when its name ends so, else as TOML."""
    out.write_text(plan_file.to_json(plan) if out.suffix == ".json" else plan_file.to_toml(plan), encoding="utf-8")


def _after(shop: Workshop, target: Target) -> list[str]:
    """What to know when the target's stage was trained before, or a newer policy than its own is there."""
    policies = _policies_of(shop, target.campaign_id)
    newest = next(reversed(policies), target.policy_id)
    last = policies.get(newest, 0)
    notes = []
    if last >= target.stage_index:
        notes.append(f"stage {target.stage_index} was trained already; this is what its plan would be now")
    if newest != target.policy_id:
        notes.append(
            f"policy {newest[:8]} came out of stage {last} and is newer; to plan stage {last + 1} from it: "
            f"gradatim calibrate --policy {newest[:8]}, then gradatim plan"
        )
    return notes


def _policies_of(shop: Workshop, campaign_id: str) -> dict[str, int]:
    """Policies of a line of training in order, each with the last stage that it came out of; the start's is 0."""
    stages = shop.store.read(Stage, "campaign_id = $id AND status = 'finished'", {"id": campaign_id})
    found: dict[str, int] = {}
    for stage in sorted(stages, key=lambda stage: stage.stage_index):
        if stage.policy_in is not None:
            found.setdefault(stage.policy_in, 0)
        if stage.policy_out is not None:
            found[stage.policy_out] = stage.stage_index
    return dict(sorted(found.items(), key=lambda item: item[1]))
