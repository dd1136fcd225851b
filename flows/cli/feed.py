"""`gradatim feed`: rows that are new since a snapshot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import AsJson, DryRun, home_of
from flows.cli.output import print_json, print_table, say

SHOWN = 50
"""Rows that a terminal is shown at most."""


def command(
    context: typer.Context,
    table: Annotated[str, typer.Argument(help="A table; see `gradatim tables`.")],
    since: Annotated[int | None, typer.Option(help="Snapshot already handled; 0 for every row.", min=0)] = None,
    reader: Annotated[
        str | None, typer.Option("--as", help="Name of a reader: from where it last came to, remembered in the home.")
    ] = None,
    parquet: Annotated[Path | None, typer.Option(help="Write the rows to a Parquet file.")] = None,
    dry_run: DryRun = False,
    as_json: AsJson = False,
) -> None:
    """Print the rows of a table written after a snapshot, and `until`: the --since of the next call.

    With --as the home remembers `until` once every row is out, so that a schedule handles just what is new; where a
    terminal shows only the first rows, the reader stays where it was. --since beside --as begins there instead.

    Example: gradatim feed tasks --as nightly --parquet new.parquet
    Example: gradatim feed tasks --as nightly --since 0 --json
    """
    from flows.settings import prepared
    from flows.workshop import open_store
    from warehouse.errors import UserError
    from warehouse.feed import changes, note_reached, reached

    if since is None and reader is None:
        raise UserError("give --since SNAPSHOT, --as READER or both; see: gradatim feed --help")
    with open_store(prepared(home_of(context)), read_only=True) as store:
        home = store.home
        start = since if since is not None else reached(home, reader or "", table)
        found = changes(store, table, start)
    n_rows = found.rows.num_rows
    if parquet is not None and not dry_run:
        from pyarrow.parquet import write_table

        write_table(found.rows, parquet)
    rows = [] if parquet is not None else found.rows.slice(0, None if as_json else SHOWN).to_pylist()
    if as_json:
        print_json({"until": found.until, "n_rows": n_rows, "rows": rows})
    elif parquet is None:
        print_table(rows)
    whole = as_json or parquet is not None or n_rows <= SHOWN
    if reader and not dry_run:
        note_reached(home, reader, table, found.until if whole else start, back=since is not None)
    if not as_json:
        say(_told(table, reader, n_rows, since=found.until if whole else start, whole=whole, moved=not dry_run))


def _told(table: str, reader: str | None, n_rows: int, *, since: int, whole: bool, moved: bool) -> str:
    """What is said below the rows: how many there are, and how to have the rest or the next ones."""
    again = f"gradatim feed {table} " + (f"--as {reader}" if reader else f"--since {since}")
    if not whole:
        stays = f", and reader {reader} stands at snapshot {since} until then" if reader and moved else ""
        return f"the first {SHOWN} of {n_rows} rows; all of them: {again} --json, or --parquet FILE{stays}"
    return f"{n_rows} rows; " + (f"next time: {again}" if moved else "nothing is written or remembered")
