"""Rows that must go: old rollouts, and all that came from one source. The only code that deletes, under the lock."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import uuid4

import duckdb

from warehouse.catalog import METADATA, is_postgres
from warehouse.contracts import PRIVATE_TABLE, contracts
from warehouse.engine import quoted_text
from warehouse.errors import UserError
from warehouse.home import Home
from warehouse.store import Store
from warehouse.upkeep.compaction import forget, note_unlisted

_DESCENT = """
CREATE OR REPLACE TEMP TABLE purged AS
WITH RECURSIVE edge AS (
    SELECT task_id, unnest(json_extract_string(parents, '$[*]')) AS parent FROM tasks WHERE parents <> '[]'
),
gone AS (
    SELECT task_id FROM tasks WHERE source = $source
    UNION
    SELECT e.task_id FROM edge AS e INNER JOIN gone AS g ON g.task_id = e.parent
)
SELECT DISTINCT task_id FROM gone
"""


def retain(store: Store, *, rollouts: timedelta, run: str = "upkeep", dry_run: bool = False) -> int:
    """Delete rollouts written longer ago than `rollouts`; returns how many. Older snapshots keep them until expiry.

    With `dry_run` they are only counted.
    """
    limit = datetime.now(UTC) - rollouts
    with store.upkeep() as connection:
        old = connection.execute("SELECT count(*) FROM rollouts WHERE written_at < $limit", {"limit": limit}).fetchall()
        if old[0][0] and not dry_run:
            with store.transaction(f"rollouts before {limit:%Y-%m-%d} let go"):
                connection.execute("DELETE FROM rollouts WHERE written_at < $limit", {"limit": limit})
            note_unlisted(store, connection, run=run)
    return int(old[0][0])


def purge(store: Store, source: str, *, run: str = "upkeep", dry_run: bool = False) -> dict[str, int]:
    """Take down a source: its tasks, what was grown from them, and every row, file and export that holds them.

    Tables are written anew in the order of their rows, every older snapshot is forgotten, and the old files are
    deleted, so that nothing of the source is left on disk. Returns the rows deleted by table, and `exports`.
    With `dry_run` they are only counted. Raises `UserError` when no task or corpus has that source.
    """
    with store.upkeep() as connection:
        known = connection.execute(
            "SELECT source FROM tasks WHERE source = $s UNION SELECT source FROM sources WHERE source = $s",
            {"s": source},
        ).fetchall()
        if not known:
            raise UserError(
                f"no task comes from source '{source}'; see: gradatim sql 'SELECT DISTINCT source FROM tasks'"
            )
        connection.execute(_DESCENT, {"source": source})
        held = _held(source)
        if dry_run:
            counts = {name: _count(connection, name, condition) for name, condition in held.items()}
            return {**counts, "exports": len(_exports(store.home, source))}
        with store.transaction(f"takedown of source {source}"):
            deleted = {name: _rewrite(connection, name, condition) for name, condition in held.items()}
        _forget_the_past(store.home, connection)
        note_unlisted(store, connection, run=f"{run}-{uuid4().hex[:8]}")
        deleted["exports"] = _delete_exports(store.home, source)
        connection.execute("DROP TABLE temp.purged")
    return deleted


def _held(source: str) -> dict[str, str]:
    """Table to the condition of its rows that hold something of `source`, once `purged` names the tasks."""
    mine = "task_id IN (SELECT task_id FROM purged)"
    held = {name: mine for name, c in contracts().items() if any(x.name == "task_id" for x in c.columns)}
    return {
        **held,
        "attempts": f"{mine} OR kept_{mine}",
        f"private.{PRIVATE_TABLE}": mine,
        "sources": f"source = '{quoted_text(source)}'",
    }


def _count(connection: duckdb.DuckDBPyConnection, table: str, condition: str) -> int:
    return int(connection.execute(f"SELECT count(*) FROM {table} WHERE {condition}").fetchall()[0][0])


def _rewrite(connection: duckdb.DuckDBPyConnection, table: str, condition: str) -> int:
    gone = _count(connection, table, condition)
    if not gone:
        return 0
    connection.execute("SET preserve_insertion_order = true")
    connection.execute(
        f"CREATE OR REPLACE TEMP TABLE survivors AS SELECT *, rowid AS place FROM {table}"
        f" WHERE ({condition}) IS NOT TRUE"
    )
    connection.execute(f"DELETE FROM {table}")
    connection.execute(f"INSERT INTO {table} SELECT * EXCLUDE (place) FROM survivors ORDER BY place")
    connection.execute("DROP TABLE temp.survivors")
    return gone


def _forget_the_past(home: Home, connection: duckdb.DuckDBPyConnection) -> None:
    rows = connection.execute(f"SELECT snapshot_id FROM {METADATA}.ducklake_snapshot ORDER BY 1").fetchall()
    forget(connection, [row[0] for row in rows[:-1]])
    connection.execute("CALL ducklake_cleanup_old_files('lake', cleanup_all => true)")
    _forget_bounds(connection)
    if not is_postgres(home):
        with closing(sqlite3.connect(home.catalog, timeout=60)) as catalog:
            catalog.execute("PRAGMA secure_delete = ON")
            catalog.execute("VACUUM")
            catalog.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _forget_bounds(connection: duckdb.DuckDBPyConnection) -> None:
    """Take the bounds of every text column from the files that are left: the catalog only ever widens them."""
    bounds = connection.execute(f"""
        SELECT s.table_id, s.column_id, min(f.min_value), max(f.max_value),
            count(*) FILTER (f.value_count > f.null_count AND (f.min_value IS NULL OR f.max_value IS NULL)) > 0
        FROM {METADATA}.ducklake_table_column_stats AS s
        INNER JOIN {METADATA}.ducklake_column AS c
            ON c.table_id = s.table_id AND c.column_id = s.column_id AND c.end_snapshot IS NULL
        LEFT JOIN {METADATA}.ducklake_file_column_stats AS f ON f.table_id = s.table_id AND f.column_id = s.column_id
        WHERE c.column_type = 'varchar' AND s.table_id NOT IN
            (SELECT table_id FROM {METADATA}.ducklake_inlined_data_tables)
        GROUP BY s.table_id, s.column_id
    """).fetchall()
    for table, column, low, high, unknown in bounds:
        connection.execute(
            f"UPDATE {METADATA}.ducklake_table_column_stats SET min_value = $low, max_value = $high"
            f" WHERE table_id = {table:d} AND column_id = {column:d}",
            {"low": None if unknown else low, "high": None if unknown else high},
        )


def _exports(home: Home, source: str) -> list[str]:
    """Lines of the exports' index that hold something of `source`."""
    index = home.exports / "index.jsonl"
    lines = index.read_text("utf-8").splitlines() if index.is_file() else []
    return [line for line in lines if source in json.loads(line)["sources"]]


def _delete_exports(home: Home, source: str) -> int:
    gone = _exports(home, source)
    for line in gone:
        _remove(Path(json.loads(line)["path"]))
    if gone:
        index = home.exports / "index.jsonl"
        kept = [line for line in index.read_text("utf-8").splitlines() if line not in gone]
        index.write_text("".join(f"{line}\n" for line in kept), "utf-8")
    return len(gone)


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)
