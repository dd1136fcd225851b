"""`gradatim train`: one stage from a stored plan."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import AsJson, DryRun, home_of
from flows.cli.output import Output


def command(
    context: typer.Context,
    mixture: Annotated[str | None, typer.Option(help="Id of a stored plan, or its first characters.")] = None,
    again: Annotated[
        str | None,
        typer.Option(
            help="Instead: a finished stage, trained once more at its snapshot and compared; nothing is stored."
        ),
    ] = None,
    config: Annotated[Path | None, typer.Option(help="Configuration, when not the campaign's own.")] = None,
    kind: Annotated[
        str, typer.Option(help="grpo, or sft: imitate verified solutions until entropy nears its floor.")
    ] = ("grpo"),
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Train the stage that a plan was made for; a finished stage costs nothing, a killed one goes on.

    Example: gradatim train --mixture 91bc
    """
    from flows.settings import prepared
    from flows.steps.orders import kind_of, order_of
    from flows.workshop import looking
    from warehouse.errors import UserError

    settings = prepared(home_of(context))
    if (mixture is None) == (again is None):
        raise UserError("give either --mixture PLAN or --again STAGE; see: gradatim train --help")
    if again is not None:
        from flows.steps.again import train_again

        with looking(settings) as shop:
            Output(as_json=as_json).value(train_again(shop, again, dry_run=dry_run))
        return
    with looking(settings) as shop:
        order = order_of(shop, str(mixture), config, kind_of(kind))
    found = dict(order.told)
    if not dry_run:
        from flows.train_stage import train_stage

        found["policy_out"] = train_stage(settings.home, order.config, order.mixture_id, kind_of(kind))
    Output(as_json=as_json).value(found)
