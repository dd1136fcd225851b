"""`gradatim export`: tasks as files that other systems read."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import AsJson, DryRun, home_of
from flows.cli.output import Output, say

LEFT_OUT = {
    "hidden_tests": "are without their hidden tests, so that no home can admit them again",
    "heldout": "of the held-out split stay, which are for evaluation alone",
    "canary": "of the canary split stay, which are for watching a stage alone",
}
"""What it means that a private part was left out, in words."""


def command(
    context: typer.Context,
    to: Annotated[Path, typer.Argument(help="New folder to write.")],
    layout: Annotated[str, typer.Option(help="gradatim, trl, verl, prime-rl or reasoning-gym.")] = "gradatim",
    file_format: Annotated[str, typer.Option("--format", help="jsonl, parquet or datasets.")] = "jsonl",
    family: Annotated[str | None, typer.Option(help="Only this family.")] = None,
    status: Annotated[str, typer.Option(help="Only tasks of this status.")] = "accepted",
    private: Annotated[
        list[str] | None, typer.Option(help="hidden_tests, heldout or canary, else left out; may repeat.")
    ] = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Write tasks with a dataset card and a manifest; what is for judging and measuring alone only when named.

    That is hidden tests (without them no home can judge a program again), and the held-out and the canary split, which
    nothing may train on. gradatim import export brings what was written into another home.

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
    for part, n in written.left_out.items():
        say(f"{n} tasks {LEFT_OUT[part]}; to take them along: --private {part}")
