"""`gradatim explain`: where something came from and what it fed."""

from __future__ import annotations

from typing import Annotated

import typer

from flows.cli.options import AsJson, home_of
from flows.cli.output import Output, print_json, print_table


def command(
    context: typer.Context,
    name: Annotated[str, typer.Argument(help="Id of a task, stage or checkpoint, or its first characters.")],
    as_json: AsJson = False,
) -> None:
    """Walk from a task to its makers, checks, rollouts and checkpoints, or back from a checkpoint.

    Example: gradatim explain 3f2a9c
    """
    from flows.settings import prepared
    from flows.workshop import open_store
    from warehouse.lineage import explain

    with open_store(prepared(home_of(context)), read_only=True) as store:
        found = explain(store, name)
    if as_json:
        print_json(found)
        return
    for part, rows in found.items():
        if isinstance(rows, list):
            print_table(rows[:20], title=f"{part} ({len(rows)})")
        else:
            Output(as_json=False).value(rows if isinstance(rows, dict) else {part: rows}, title=part)
