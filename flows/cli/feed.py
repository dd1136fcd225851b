"""`gradatim feed`: rows that are new since a snapshot."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import AsJson, home_of
from flows.cli.output import print_json, print_table, say


def command(
    context: typer.Context,
    table: Annotated[str, typer.Argument(help="A table; see `gradatim tables`.")],
    since: Annotated[int, typer.Option(help="Snapshot already handled; 0 for every row.", min=0)],
    parquet: Annotated[Path | None, typer.Option(help="Write the rows to a Parquet file.")] = None,
    as_json: AsJson = False,
) -> None:
    """Print the rows of a table written after a snapshot, and `until`: the --since of the next call.

    Example: gradatim feed tasks --since 40 --json
    """
    from flows.settings import prepared
    from flows.workshop import open_store
    from warehouse.feed import changes

    with open_store(prepared(home_of(context)), read_only=True) as store:
        found = changes(store, table, since)
    if parquet is not None:
        from pyarrow.parquet import write_table

        write_table(found.rows, parquet)
    rows = [] if parquet is not None else found.rows.to_pylist()
    if as_json:
        print_json({"until": found.until, "n_rows": found.rows.num_rows, "rows": rows})
        return
    if parquet is None:
        print_table(rows)
    say(f"{found.rows.num_rows} rows; next time: gradatim feed {table} --since {found.until}")
