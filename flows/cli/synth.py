"""`gradatim synth`: tasks from procedural families."""

from __future__ import annotations

from typing import Annotated

import typer

from flows.cli.options import AsJson, DryRun, home_of
from flows.cli.output import Output


def command(
    context: typer.Context,
    family: Annotated[list[str] | None, typer.Option(help="Family to make tasks of; may repeat.")] = None,
    n: Annotated[int, typer.Option("--n", help="Attempts a family, spread over its levels.")] = 100,
    seed: Annotated[int, typer.Option(help="Seed; another seed makes other tasks.")] = 0,
    level: Annotated[int | None, typer.Option(help="Only this level.")] = None,
    list_families: Annotated[bool, typer.Option("--list", help="List families with their levels.")] = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Make tasks, examine them by evidence, and commit what survives.

    Example: gradatim synth --family rev --n 200 --seed 1
    """
    from flows.steps.synthesis import family_table, requests_for
    from warehouse.errors import UserError

    output = Output(as_json=as_json)
    if list_families:
        output.rows(family_table())
        return
    if not family:
        raise UserError("name at least one family: --family NAME; see: gradatim synth --list")
    requests = requests_for(family, n=n, seed=seed, level=level)
    if dry_run:
        output.rows([{"family": r.family, "level": r.level, "n": r.n, "seed": r.seed} for r in requests])
        return
    from flows.settings import prepared

    settings = prepared(home_of(context))
    from flows.synthesize_tasks import synthesize_tasks

    output.value(synthesize_tasks(settings.home, family, n, seed, level))
