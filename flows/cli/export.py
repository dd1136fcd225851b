"""`gradatim export`: tasks as files that other systems read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import AsJson, DryRun, home_of
from flows.cli.output import Output


def command(
    context: typer.Context,
    to: Annotated[Path, typer.Argument(help="New folder to write.")],
    layout: Annotated[str, typer.Option(help="gradatim, trl, verl, prime-rl or reasoning-gym.")] = "gradatim",
    file_format: Annotated[str, typer.Option("--format", help="jsonl, parquet or datasets.")] = "jsonl",
    family: Annotated[str | None, typer.Option(help="Only this family.")] = None,
    status: Annotated[str, typer.Option(help="Only tasks of this status.")] = "accepted",
    private: Annotated[
        list[str] | None, typer.Option(help="hidden_tests or heldout, else left out; may repeat.")
    ] = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Write tasks with a dataset card and a manifest; hidden tests and the held-out split only when named.

    gradatim import export brings what was written into another home.

    Example: gradatim export tasks --layout trl --format datasets
    """
    from flows.settings import prepared
    from flows.workshop import open_store
    from warehouse.errors import unknown_name
    from warehouse.exports import export
    from warehouse.records import Status

    if status not in set(Status):
        raise unknown_name("status", status, list(Status), "gradatim export --help")
    with open_store(prepared(home_of(context)), read_only=True) as store:
        written = export(
            store,
            to,
            layout_name=layout,
            format_name=file_format,
            family=family,
            status=status,
            private=private or [],
            dry_run=dry_run,
        )
    Output(as_json=as_json).value(written._asdict())
