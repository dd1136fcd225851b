"""`gradatim tables`: what can be asked."""

from __future__ import annotations

from typing import Annotated

import typer

from flows.cli.options import AsJson, place_of
from flows.cli.output import Output

SHOWN = ("parameter", "default", "column", "type", "meaning", "unit", "words")
"""What a terminal shows of a column; `--json` holds everything."""


def command(
    context: typer.Context,
    name: Annotated[
        str | None, typer.Argument(help="A table, a view or a named query; all of them without one.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show every table, view and named query, or the columns or parameters of one.

    Example: gradatim tables rollouts
    """
    from flows.steps.catalogue import catalogue, columns_of

    rows = columns_of(name, place_of(context)) if name else catalogue()
    if not as_json:
        rows = [{key: row[key] for key in SHOWN if row.get(key)} for row in rows] if name else rows
    Output(as_json=as_json).rows(rows, title=name)
