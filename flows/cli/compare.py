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
    look: Annotated[str, typer.Option(help="I/N: the I-th of N planned looks at this comparison.")] = "1/1",
    want: Annotated[float | None, typer.Option(help="A difference of pass@1: say what it takes to see it.")] = None,
    as_json: AsJson = False,
) -> None:
    """Say whether policy B is better than A on the same held-out tasks, with a clustered interval.

    Example: gradatim compare 3f2a 91bc --metric pass@8
    """
    from flows.settings import prepared
    from flows.steps.comparison import compare_policies
    from flows.steps.upkeep import existing_store

    with existing_store(prepared(home_of(context)), read_only=True) as store:
        found = compare_policies(
            store, a, b, metric=metric, families=family or [], force=force, look=_look(look), want=want
        )
    Output(as_json=as_json).value(found)


def _look(text: str) -> tuple[int, int]:
    from warehouse.errors import UserError

    which, _, of = text.partition("/")
    if not (which.isdecimal() and of.isdecimal() and 1 <= int(which) <= int(of)):
        raise UserError(f"look is '{text}', must be I/N with I from 1 to N; see: gradatim compare --help")
    return int(which), int(of)
