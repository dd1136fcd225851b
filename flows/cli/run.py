"""`gradatim run`: the whole loop as one campaign."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import AsJson, DryRun, home_of
from flows.cli.output import print_json, print_summary, say


def command(
    context: typer.Context,
    config: Annotated[Path | None, typer.Option(help="TOML file; the pocket campaign without one.")] = None,
    source: Annotated[list[str] | None, typer.Option(help="NAME=PATH of a corpus to bring in; may repeat.")] = None,
    new: Annotated[bool, typer.Option("--new", help="Run another campaign even if this one is finished.")] = False,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Synthesise, train and measure a policy; an interrupted campaign goes on, a finished one is verified.

    Example: gradatim run --config configs/pocket.toml
    """
    from flows.launch import launch_campaign

    result = launch_campaign(home_of(context), config, source or [], new=new, dry_run=dry_run, say=say)
    if as_json:
        print_json(result)
    elif not dry_run:
        print_summary(result)
