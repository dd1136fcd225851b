"""`gradatim plan`: which arms the next stage draws from, beside the plan before."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from flows.cli.options import AsJson, DryRun, home_of
from flows.cli.output import Output, print_json, print_table, say


def command(
    context: typer.Context,
    campaign: Annotated[str | None, typer.Option(help="Campaign id, or its start; the newest.")] = None,
    policy: Annotated[str | None, typer.Option(help="Policy to plan for; the newest calibrated.")] = None,
    config: Annotated[Path | None, typer.Option(help="Configuration, when not the campaign's own.")] = None,
    check: Annotated[Path | None, typer.Option(help="Only check a plan file, TOML or JSON.")] = None,
    out: Annotated[Path | None, typer.Option(help="Write the plan to a file that --check reads.")] = None,
    apply: Annotated[bool, typer.Option("--apply", help="Store the plan; nothing is stored without.")] = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Show the next stage's plan as a diff against the last one; --apply stores it for `gradatim train`.

    Example: gradatim plan --apply
    """
    from flows.settings import prepared
    from flows.steps.pools import trained_on
    from flows.steps.proposal import checked, proposed, target_of, told, write_plan
    from flows.workshop import looking
    from warehouse.errors import UserError

    if apply and (dry_run or check is not None):
        raise UserError("--apply stores a new plan: leave out --dry-run and --check; see: gradatim plan --help")
    if check is not None and campaign is None:
        Output(as_json=as_json).value(checked(check, None))
        return
    settings = prepared(home_of(context))
    with looking(settings) as shop:
        target = target_of(shop, campaign, policy, config)
        proposal = proposed(shop, target)
        if check is None:
            say(trained_on(shop, target.config))
    if check is not None:
        Output(as_json=as_json).value(checked(check, proposal.previous))
        return
    if out is not None:
        write_plan(proposal.plan, out)
    found = dict(told(proposal))
    if apply:
        from flows.plan_mixture import plan_mixture

        found |= plan_mixture(settings.home, target.config, target.policy_id, target.campaign_id, target.stage_index)
    if as_json:
        print_json(found)
    else:
        _print(found)


def _print(found: Mapping[str, Any]) -> None:
    changes = found["diff"]
    rows = [{"arm": arm, **{key: changes[arm][key] for key in ("before", "after", "why")}} for arm in changes]
    done = f", which was trained already, by stage {found['trained'][:8]}" if found["trained"] else ""
    title = f"stage {found['stage_index']} of campaign {found['campaign_id']}{done}, KL {found['kl']:.3f}"
    print_table(rows, title=title)
    for note in found["notes"]:
        say(f"note: {note}")
    if found["mixture_id"]:
        say(f"stored; next: gradatim train --mixture {found['mixture_id']}")
    else:
        say("nothing is stored; to store it: gradatim plan --apply")
