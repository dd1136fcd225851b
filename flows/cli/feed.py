"""`gradatim feed`: rows that are new since a snapshot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import AsJson, home_of
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
    as_json: AsJson = False,
) -> None:
    """Print the rows of a table written after a snapshot, and `until`: the --since of the next call.

    With --as the home remembers `until` once the rows are out, so that a schedule handles just what is new.

    Example: gradatim feed tasks --as nightly --parquet new.parquet
    """
    from flows.settings import prepared
    from flows.workshop import open_store
    from warehouse.errors import UserError
    from warehouse.feed import changes, note_reached, reached

    if (since is None) == (reader is None):
        raise UserError("give either --since SNAPSHOT or --as READER; see: gradatim feed --help")
    with open_store(prepared(home_of(context)), read_only=True) as store:
        home = store.home
        found = changes(store, table, reached(home, reader, table) if reader else since or 0)
    if parquet is not None:
        from pyarrow.parquet import write_table

        write_table(found.rows, parquet)
    rows = [] if parquet is not None else found.rows.slice(0, None if as_json else SHOWN).to_pylist()
    if as_json:
        print_json({"until": found.until, "n_rows": found.rows.num_rows, "rows": rows})
    elif parquet is None:
        print_table(rows)
        if found.rows.num_rows > SHOWN:
            say(f"{found.rows.num_rows - SHOWN} more rows; --json or --parquet FILE gives all")
    if reader:
        note_reached(home, reader, table, found.until)
    if not as_json:
        again = f"--as {reader}" if reader else f"--since {found.until}"
        say(f"{found.rows.num_rows} rows; next time: gradatim feed {table} {again}")
