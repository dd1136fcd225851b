"""`gradatim sql`: one read-only query over the warehouse."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.options import AsJson, place_of
from flows.cli.output import Output, say


def _pair(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise typer.BadParameter(f"'{text}' is not NAME=VALUE", param_hint="--param")
    return name, value


def command(
    context: typer.Context,
    query: Annotated[str | None, typer.Argument(help="One SELECT or EXPLAIN.")] = None,
    named: Annotated[str | None, typer.Option(help="Name of a stored query; without a value see `tables`.")] = None,
    param: Annotated[list[str] | None, typer.Option(help="NAME=VALUE for a named query; may repeat.")] = None,
    csv: Annotated[Path | None, typer.Option(help="Write the rows to a CSV file.")] = None,
    parquet: Annotated[Path | None, typer.Option(help="Write the rows to a Parquet file.")] = None,
    private: Annotated[bool, typer.Option(help="Attach hidden tests and held-out texts too.")] = False,
    timeout_s: Annotated[float, typer.Option(help="Seconds before the query is ended.")] = 60.0,
    as_json: AsJson = False,
) -> None:
    """Ask the warehouse in SQL; nothing can be changed and no file outside it read.

    Example: gradatim sql "select family, count(*) from current_tasks group by all" --json
    """
    from warehouse import people_sql
    from warehouse.errors import UserError

    if named is not None:
        table = people_sql.run_named(
            place_of(context), named, dict(_pair(text) for text in param or []), timeout_s=timeout_s
        )
    elif query is not None:
        table = people_sql.run(place_of(context), query, private=private, timeout_s=timeout_s)
    else:
        raise UserError("give a query or --named NAME; see: gradatim tables")
    if table.schema.metadata and people_sql.TRUNCATED in table.schema.metadata:
        say(f"gradatim: only the first {table.num_rows} rows; the query has more: aggregate, or narrow it")
    if csv is not None:
        from pyarrow import ArrowInvalid
        from pyarrow.csv import write_csv

        try:
            write_csv(table, csv)
        except ArrowInvalid as error:
            raise UserError(f"CSV cannot hold this: {error}; write --parquet, or cast the column to VARCHAR") from error
    if parquet is not None:
        from pyarrow.parquet import write_table

        write_table(table, parquet)
    if csv is None and parquet is None:
        Output(as_json=as_json).rows(table.to_pylist())
