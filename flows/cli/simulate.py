"""`gradatim simulate`: a scheduler in learner worlds, without a GPU."""

from __future__ import annotations

from typing import Annotated

import typer

from flows.cli.options import AsJson
from flows.cli.output import Output, say


def command(
    scheduler: Annotated[str | None, typer.Option(help="Scheduler to try; see --list.")] = None,
    pool: Annotated[str, typer.Option(help="mixed, hard, easy or shuffled.")] = "mixed",
    seeds: Annotated[str, typer.Option(help="A:B, the worlds A to B-1; constants were tuned on other worlds.")] = "0:8",
    workers: Annotated[int | None, typer.Option(help="Processes; one a core without a number.", min=1)] = None,
    list_schedulers: Annotated[bool, typer.Option("--list", help="List schedulers.")] = False,
    as_json: AsJson = False,
) -> None:
    """Count the rollouts that a scheduler needs to a target against uniform; a ratio above 1 is fewer.

    Example: gradatim simulate --scheduler frontier --pool mixed --seeds 0:8
    """
    from flows.settings import read_settings, set_process_environment
    from warehouse.errors import UserError

    set_process_environment(read_settings())
    from flows.steps.simulation import scheduler_table, simulated

    output = Output(as_json=as_json)
    if list_schedulers:
        output.rows(scheduler_table())
        return
    if scheduler is None:
        raise UserError("name a scheduler: --scheduler NAME; see: gradatim simulate --list")
    found = dict(simulated(scheduler, pool, seeds, workers=workers))
    if n_missed := found.pop("n_missed"):
        say(f"{n_missed} worlds never reached the target; each counts with its whole budget")
    output.value(found)
