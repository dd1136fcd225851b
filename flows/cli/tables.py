"""`gradatim tables`: what can be asked."""

from __future__ import annotations

from typing import Annotated

import typer

from flows.cli.options import AsJson
from flows.cli.output import Output


def command(
    name: Annotated[str | None, typer.Argument(help="A table; all tables, views and queries without one.")] = None,
    as_json: AsJson = False,
) -> None:
    """Show every table with its columns, and the named queries.

    Example: gradatim tables rollouts
    """
    from flows.steps.catalogue import catalogue, columns_of

    Output(as_json=as_json).rows(columns_of(name) if name else catalogue())
