"""`gradatim replay`: a stored rollout judged again."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from flows.cli.options import AsJson, home_of
from flows.cli.output import Output, print_json, print_table


def command(
    context: typer.Context,
    rollout: Annotated[str, typer.Argument(help="Rollout id, or its first characters.")],
    as_json: AsJson = False,
) -> None:
    """Run the judges on a stored rollout and show each part beside the stored one; nothing is stored.

    Example: gradatim replay 7c01 --json
    """
    from flows.settings import prepared
    from flows.steps.replaying import replay
    from flows.workshop import looking

    with looking(prepared(home_of(context))) as shop:
        found: dict[str, Any] = dict(replay(shop, rollout))
    if as_json:
        print_json(found)
        return
    rows = found.pop("rows")
    Output(as_json=False).value(found)
    print_table(rows, title="the judges' word")
