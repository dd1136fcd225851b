"""`gradatim report`: a campaign as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import AsJson, DryRun, home_of
from flows.cli.output import Output, print_report


def command(
    context: typer.Context,
    campaign: Annotated[str | None, typer.Option(help="Campaign id, or its start; the newest finished.")] = None,
    out: Annotated[Path | None, typer.Option(help="File to write; in the home's reports without one.")] = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Write the report of a campaign from what the warehouse holds now; it opens from disk without a network.

    Example: gradatim report --out campaign.html
    """
    from flows.settings import prepared
    from flows.steps.reporting import foreseen, rebuild_report
    from flows.workshop import open_store

    with open_store(prepared(home_of(context)), read_only=True) as store:
        written = (foreseen if dry_run else rebuild_report)(store, campaign, out)
    if as_json or dry_run:
        Output(as_json=as_json).value(written)
    else:
        print_report(written)
