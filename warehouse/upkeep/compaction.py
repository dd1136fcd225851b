"""Small files into large ones, old snapshots and unused files away."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from uuid import uuid4

import duckdb

from warehouse.catalog import METADATA
from warehouse.store import Store
from warehouse.upkeep.files import catalog_files
from warehouse.writing import add_files

GRACE = timedelta(days=1)
"""Files without use are kept this long: a reader may still hold an older snapshot."""


def compact(store: Store, *, run: str = "upkeep", dry_run: bool = False) -> dict[str, int]:
    """Merge adjacent small files, keeping snapshots and row ids, and record the new checksums.

    Returns `{"n_files_before", "n_files_after"}`. With `dry_run` nothing is merged, and in place of the second stands
    `least_after`, the fewest files that can be left: one a table.
    """
    with store.upkeep() as connection:
        files = [f for f in catalog_files(connection, store.home) if f.current]
        before = len(files)
        if dry_run:
            return {"n_files_before": before, "least_after": len({f.table for f in files})}
        connection.execute("CALL ducklake_merge_adjacent_files('lake')")
        note_unlisted(store, connection, run=run)
        after = sum(f.current for f in catalog_files(connection, store.home))
    return {"n_files_before": before, "n_files_after": after}


def note_unlisted(store: Store, connection: duckdb.DuckDBPyConnection, *, run: str) -> int:
    """Record the checksum of every file of the catalog that has none; returns how many."""
    data = store.home.local_data
    if data is None:
        return 0
    listed = {row[0] for row in connection.execute("SELECT path FROM files").fetchall()}
    new = [str(data / f.path) for f in catalog_files(connection, store.home) if f.path not in listed]
    if new:
        with store.transaction("checksums of compacted files"):
            stamps: dict[str, str | datetime] = {
                "run_id": run,
                "batch_id": f"upkeep-{uuid4().hex}",
                "written_at": datetime.now(UTC),
            }
            add_files(connection, store.home, new, stamps)
    return len(new)


def pinned(connection: duckdb.DuckDBPyConnection) -> set[int]:
    """Snapshots that a stage or a plan read, which expiry must keep."""
    rows = connection.execute("SELECT snapshot_id FROM stages UNION SELECT snapshot_id FROM mixtures").fetchall()
    return {row[0] for row in rows}


def expire(store: Store, *, older_than: timedelta = timedelta(days=30), dry_run: bool = False) -> list[int]:
    """Forget snapshots older than `older_than` that no stage or plan pins, never the newest; returns their ids.

    Rows stay: tables only grow, so a later snapshot holds them all. With `dry_run` nothing is forgotten.
    """
    with store.upkeep() as connection:
        keep = pinned(connection)
        old = connection.execute(
            f"SELECT snapshot_id FROM {METADATA}.ducklake_snapshot WHERE snapshot_time::TIMESTAMPTZ < $limit"
            f" AND snapshot_id < (SELECT max(snapshot_id) FROM {METADATA}.ducklake_snapshot) ORDER BY 1",
            {"limit": datetime.now(UTC) - older_than},
        ).fetchall()
        gone = [row[0] for row in old if row[0] not in keep]
        if gone and not dry_run:
            forget(connection, gone)
    return gone


def forget(connection: duckdb.DuckDBPyConnection, snapshots: list[int]) -> None:
    """Expire `snapshots` by id."""
    listed = ", ".join(str(int(s)) for s in snapshots)
    connection.execute(f"CALL ducklake_expire_snapshots('lake', versions => [{listed}])")


def clean(store: Store, *, older_than: timedelta = GRACE, dry_run: bool = False) -> list[str]:
    """Delete files that no kept snapshot uses and orphans of broken writes, both older than `older_than`.

    Returns their paths; with `dry_run` nothing is deleted.
    """
    limit = datetime.now(UTC) - older_than
    paths: list[str] = []
    with store.upkeep() as connection:
        for call in ("ducklake_cleanup_old_files", "ducklake_delete_orphaned_files"):
            options = f"older_than => TIMESTAMPTZ '{limit.isoformat()}', dry_run => {str(dry_run).lower()}"
            paths += [row[0] for row in connection.execute(f"CALL {call}('lake', {options})").fetchall()]
    return sorted(set(paths))
