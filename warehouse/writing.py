"""Rows into tables and files into the list of checksums, within the store's transaction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import datetime
from pathlib import Path

import duckdb
import pyarrow as pa
from blake3 import blake3

from warehouse.catalog import METADATA, is_postgres
from warehouse.contracts import PRIVATE_TABLE, STAMPS, contract_of
from warehouse.engine import quoted_name, quoted_text
from warehouse.fresh_files import fresh_files
from warehouse.home import Home
from warehouse.migrations import INLINED
from warehouse.records import Split

UNCOMMITTED = 10**18
"""Row ids of rows that the running transaction wrote start here."""

SECRETS = f"private.{PRIVATE_TABLE}"
"""The private table as SQL names it."""

_BATCHES = f"SELECT table_id FROM {METADATA}.ducklake_table WHERE table_name = 'batches' AND end_snapshot IS NULL"
_FILES_OF = f"SELECT 1 FROM {METADATA}.ducklake_data_file WHERE table_id = {{}} LIMIT 1"
_INLINED_OF = f"SELECT table_name FROM {METADATA}.ducklake_inlined_data_tables WHERE table_id = {{}}"

Stamp = Mapping[str, str | datetime]


def written_before(connection: duckdb.DuckDBPyConnection, home: Home, batch: str) -> tuple[int, int] | None:
    """The snapshot and the rows of a batch that is in the warehouse, else none.

    On SQLite the rows of `batches` in the catalog are read where they lie: DuckLake takes 10 microseconds for each.
    """
    name = quoted_text(batch)
    if not is_postgres(home):
        (table,) = connection.execute(_BATCHES).fetchall()[0]
        if not connection.execute(_FILES_OF.format(table)).fetchone():
            for (inlined,) in connection.execute(_INLINED_OF.format(table)).fetchall():
                found = connection.execute(
                    f"SELECT begin_snapshot, n_rows FROM {METADATA}.{inlined}"
                    f" WHERE batch = '{name}' AND end_snapshot IS NULL"
                ).fetchone()
                if found:
                    return int(found[0]), int(found[1])
            return None
    row = connection.execute(f"SELECT snapshot_id, n_rows FROM batches WHERE batch = '{name}'").fetchone()
    return (int(row[0]), int(row[1])) if row else None


@contextmanager
def registered(connection: duckdb.DuckDBPyConnection, tables: Mapping[str, pa.Table]) -> Iterator[None]:
    """Arrow tables as views of `connection` for a while; cheap inside a transaction, not while `lake` is asked anew."""
    for name, table in tables.items():
        connection.register(name, table)
    try:
        yield
    finally:
        with suppress(duckdb.Error):  # a transaction that failed takes its views with it
            for name in tables:
                connection.unregister(name)


def insert(connection: duckdb.DuckDBPyConnection, table: str, view: str, stamps: Stamp) -> dict[str, int]:
    """Append the rows of `view` to `table`, stamped; private columns go to the private schema. Rows by table."""
    contract = contract_of(table)
    held_out = f"split = '{Split.HELDOUT}'"
    values = [
        f"CASE WHEN {held_out} THEN NULL ELSE {quoted_name(c.name)} END" if c.column.private else quoted_name(c.name)
        for c in contract.public
    ]
    names = [*(quoted_name(c.name) for c in contract.public), *STAMPS]
    written = {table: _append(connection, table, names, values, view, stamps)}
    if contract.private:
        always = [f"{quoted_name(c.name)} IS NOT NULL" for c in contract.private if c.column.private is True]
        hidden = [
            quoted_name(c.name) if c.column.private is True else f"CASE WHEN {held_out} THEN {quoted_name(c.name)} END"
            for c in contract.private
        ]
        names = ["task_id", *(quoted_name(c.name) for c in contract.private), *STAMPS]
        some = f"{view} WHERE {' OR '.join([held_out, *always])}"
        written[SECRETS] = _append(connection, SECRETS, names, ["task_id", *hidden], some, stamps)
    return written


def _append(
    connection: duckdb.DuckDBPyConnection, table: str, names: list[str], values: list[str], source: str, stamps: Stamp
) -> int:
    stamped = [f"${name}" for name in STAMPS]
    told = connection.execute(
        f"INSERT INTO {table} ({', '.join(names)}) SELECT {', '.join([*values, *stamped])} FROM {source}", dict(stamps)
    ).fetchone()
    return int(told[0]) if told else 0


def note_files(
    connection: duckdb.DuckDBPyConnection,
    home: Home,
    written: Mapping[str, int],
    stamps: Stamp,
    *,
    since: datetime | None = None,
) -> None:
    """Record size and blake3 of every Parquet file that this transaction wrote; `written` is its rows by table.

    `since` is the oldest stamp among the rows where they were not stamped here.
    """
    paths: list[str] = []
    for name, n_rows in written.items():
        if name in INLINED or not n_rows:
            continue
        named = fresh_files(home, name, stamps["written_at"], n_rows) if since is None else None
        paths += named if named is not None else _asked(connection, name, since or stamps["written_at"])
    add_files(connection, home, paths, stamps)


def _asked(connection: duckdb.DuckDBPyConnection, name: str, since: str | datetime) -> list[str]:
    """The running transaction's files of a table, from DuckLake: slower with every file that the table has."""
    sql = f"SELECT DISTINCT filename FROM {name} WHERE written_at >= $since AND rowid >= {UNCOMMITTED}"
    return [row[0] for row in connection.execute(sql, {"since": since}).fetchall()]


def add_files(connection: duckdb.DuckDBPyConnection, home: Home, paths: list[str], stamps: Stamp) -> None:
    """Append a row of `files` for each of `paths`."""
    if not paths or home.local_data is None:
        return
    sums = [checksum(Path(path)) for path in paths]
    connection.execute(
        "INSERT INTO files SELECT unnest($paths), unnest($sizes), unnest($sums), $run_id, $batch_id, $written_at",
        {
            "paths": [str(Path(path).relative_to(home.local_data)) for path in paths],
            "sizes": [n_bytes for n_bytes, _ in sums],
            "sums": [digest for _, digest in sums],
            **stamps,
        },
    )


def checksum(path: Path) -> tuple[int, str]:
    """Size in bytes and blake3 of a file."""
    return path.stat().st_size, blake3().update_mmap(path).hexdigest()
