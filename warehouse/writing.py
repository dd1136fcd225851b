"""Rows into tables and files into the list of checksums, within the store's transaction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime
from pathlib import Path

import duckdb
import pyarrow as pa
from blake3 import blake3

from warehouse.contracts import PRIVATE_TABLE, STAMPS, contract_of
from warehouse.engine import quoted_name
from warehouse.home import Home
from warehouse.migrations import INLINED
from warehouse.records import Split

UNCOMMITTED = 10**18
"""Row ids of rows that the running transaction wrote start here."""

Stamp = Mapping[str, str | datetime]


def insert(connection: duckdb.DuckDBPyConnection, table: str, view: str, stamps: Stamp) -> None:
    """Append the rows of `view` to `table`, stamped; private columns go to the private schema."""
    contract = contract_of(table)
    held_out = f"split = '{Split.HELDOUT}'"
    values = [
        f"CASE WHEN {held_out} THEN NULL ELSE {quoted_name(c.name)} END" if c.column.private else quoted_name(c.name)
        for c in contract.public
    ]
    stamped = ", ".join(f"${name}" for name in STAMPS)
    connection.execute(f"INSERT INTO {table} SELECT {', '.join(values)}, {stamped} FROM {view}", dict(stamps))
    if contract.private:
        _insert_private(connection, view, held_out, stamped, stamps)


def _insert_private(
    connection: duckdb.DuckDBPyConnection, view: str, held_out: str, stamped: str, stamps: Stamp
) -> None:
    private = contract_of("tasks").private
    values = [
        quoted_name(c.name) if c.column.private is True else f"CASE WHEN {held_out} THEN {quoted_name(c.name)} END"
        for c in private
    ]
    always = " OR ".join(f"{quoted_name(c.name)} IS NOT NULL" for c in private if c.column.private is True)
    connection.execute(
        f"INSERT INTO private.{PRIVATE_TABLE} SELECT task_id, {', '.join(values)}, {stamped} "
        f"FROM {view} WHERE {held_out} OR {always}",
        dict(stamps),
    )


def note_files(
    connection: duckdb.DuckDBPyConnection,
    home: Home,
    tables: Iterable[str],
    stamps: Stamp,
    *,
    since: datetime | None = None,
) -> None:
    """Record size and blake3 of every Parquet file that this transaction wrote."""
    names = [*(t for t in tables if t not in INLINED), *(f"private.{PRIVATE_TABLE}" for t in tables if t == "tasks")]
    paths = [
        row[0]
        for name in names
        for row in connection.execute(
            f"SELECT DISTINCT filename FROM {name} WHERE written_at >= $since AND rowid >= {UNCOMMITTED}",
            {"since": since or stamps["written_at"]},
        ).fetchall()
    ]
    add_files(connection, home, paths, stamps)


def add_files(connection: duckdb.DuckDBPyConnection, home: Home, paths: list[str], stamps: Stamp) -> None:
    """Append a row of `files` for each of `paths`."""
    if not paths or home.local_data is None:
        return
    sums = [checksum(Path(path)) for path in paths]
    relative = [str(Path(path).relative_to(home.local_data)) for path in paths]
    listed = pa.table({"path": relative, "n_bytes": [s[0] for s in sums], "blake3": [s[1] for s in sums]})
    connection.register("written_files", listed)
    try:
        connection.execute(
            "INSERT INTO files SELECT *, $run_id, $batch_id, $written_at FROM written_files", dict(stamps)
        )
    finally:
        connection.unregister("written_files")


def checksum(path: Path) -> tuple[int, str]:
    """Size in bytes and blake3 of a file."""
    return path.stat().st_size, blake3().update_mmap(path).hexdigest()
