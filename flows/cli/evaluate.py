"""`gradatim evaluate`: a policy measured under a fixed protocol."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import AsJson, DryRun, home_of
from flows.cli.output import Output, headline, interval, print_json, say


def command(
    context: typer.Context,
    policy: Annotated[str, typer.Option(help="Policy id, or its first characters.")],
    protocol: Annotated[
        Path | None, typer.Option(help="TOML file with tables synthesis (families) and evaluation.")
    ] = None,
    like: Annotated[
        str | None, typer.Option(help="Policy whose newest evaluation gives the very tasks and settings.")
    ] = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Sample a policy on held-out tasks and store pass@1, pass@k, entropy and tokens with intervals.

    Only figures under one protocol compare: --like takes another policy's. The newest campaign's without either.

    Example: gradatim evaluate --policy 3f2a --like 91bc
    """
    from flows.campaign import read_config
    from flows.settings import prepared
    from flows.steps.agents import episodes_of
    from flows.steps.current import current, origin_of
    from flows.steps.evaluation import foreseen, protocol_of
    from flows.workshop import looking
    from warehouse.errors import UserError

    if like is not None and protocol is not None:
        raise UserError("--like and --protocol both name a protocol: leave one out; see: gradatim evaluate --help")
    settings, campaign = prepared(home_of(context)), read_config(protocol) if protocol else None
    with looking(settings) as shop:
        asked, policy_id = current(shop, campaign, policy)
        chosen = protocol_of(shop, asked, like)
        origin = f"policy {like}" if like else str(protocol or origin_of(shop))
        told = foreseen(shop, chosen, policy_id) if dry_run else {}
    tasks, measured = chosen
    say(f"protocol {chosen.hash[:8]}, as of {origin}: {len(tasks)} tasks x {measured.n_samples} samples")
    if dry_run:
        Output(as_json=as_json).value(told)
        return
    from flows.evaluate_policy import evaluate_policy

    found = evaluate_policy(settings.home, asked, policy, like)
    if as_json:
        print_json(found)
        return
    rows = [
        {"group": group, **{metric: interval(figure) for metric, figure in headline(figures).items()}}
        for group, figures in found.items()
    ]
    Output(as_json=False).rows(rows)
    with looking(settings) as shop:
        played = episodes_of(shop, policy_id)
    if played:
        Output(as_json=False).rows(played, title="its episodes; gradatim sql --named agent_turns has every column")
