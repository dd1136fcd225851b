"""`gradatim graders`: the stack that scores completions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import AsJson, home_of
from flows.cli.output import Output

group = typer.Typer(help="Check a grader stack, list graders, show where they disagree.", no_args_is_help=True)


@group.command()
def check(
    file: Annotated[Path | None, typer.Argument(help="TOML declaration of a stack.")] = None,
    default: Annotated[bool, typer.Option("--default", help="Check the stack of a campaign that has none.")] = False,
    as_json: AsJson = False,
) -> None:
    """List what is wrong with a stack; exit code 2 when it cannot be used.

    Example: gradatim graders check graders.toml
    """
    from flows.steps.grading import refuse_fatal, stack_problems

    found = stack_problems(file, default=default)
    if found or as_json:
        Output(as_json=as_json).rows(found)
    else:
        typer.echo("no problem")
    refuse_fatal(found, file)


@group.command(name="list")
def list_graders(as_json: AsJson = False) -> None:
    """List the graders that a stack can use.

    Example: gradatim graders list --json
    """
    from flows.steps.grading import grader_table

    Output(as_json=as_json).rows(grader_table())


@group.command()
def conflicts(context: typer.Context, as_json: AsJson = False) -> None:
    """Show pairs of graders by bucket: rank correlation, share of opposite rankings, and the tasks behind them.

    Example: gradatim graders conflicts
    """
    from flows.settings import prepared
    from flows.steps.grading import conflict_matrix

    Output(as_json=as_json).rows(conflict_matrix(prepared(home_of(context))))
