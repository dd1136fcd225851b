"""`gradatim compare`: two policies, task by task."""

from __future__ import annotations

from typing import Annotated

import typer

from flows.cli.options import AsJson, home_of
from flows.cli.output import Output


def command(
    context: typer.Context,
    a: Annotated[str, typer.Argument(help="Policy id, or its first characters.")],
    b: Annotated[str, typer.Argument(help="Policy id, or its first characters.")],
    metric: Annotated[str, typer.Option(help="pass@K for any K up to the samples a task.")] = "pass@1",
    family: Annotated[list[str] | None, typer.Option(help="Only these families; may repeat.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Compare evaluations under different budgets.")] = False,
    as_json: AsJson = False,
) -> None:
    """Say whether policy B is better than A on the same held-out tasks, with a clustered interval.

    Example: gradatim compare 3f2a 91bc --metric pass@8
    """
    from flows.settings import prepared
    from flows.steps.comparison import compare_policies
    from flows.workshop import open_store

    with open_store(prepared(home_of(context))) as store:
        found = compare_policies(store, a, b, metric=metric, families=family or [], force=force)
    Output(as_json=as_json).value(found)
