"""A copy of a home that works on its own, and a home from such a copy."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import duckdb

from warehouse.backups import note_backup
from warehouse.catalog import is_postgres, locked
from warehouse.errors import UserError
from warehouse.failures import copying
from warehouse.home import Home
from warehouse.store import Store
from warehouse.upkeep.check import Finding, check
from warehouse.upkeep.files import Tell, catalog_files, untold

_FOLDERS = ("blobs", "checkpoints", "reports")


class Copied(NamedTuple):
    """A file, and where its copy goes."""

    source: Path
    target: Path


def backup(store: Store, to: Path | str, *, tell: Tell = untold) -> Path:
    """Copy catalog (by SQLite's backup API), Parquet files, blobs, checkpoints and reports to the folder `to`.

    Files are never changed once written, so a second backup to the same folder copies just what is new.
    Raises `UserError` for a catalog that is not SQLite: use the database's own tools there.
    """
    home, target = store.home, Home(Path(to).expanduser().absolute())
    with store.upkeep() as connection:
        wanted = _lacking(connection, home, target)
        with copying(target.root, "backing up"):
            _copy_all(home, target, wanted, tell)
        note_backup(home, target.root)
    return target.root


def lacking(store: Store, to: Path | str) -> list[Copied]:
    """What `backup` to the same folder would copy beside the catalog; raises as it does and changes nothing."""
    with store.upkeep() as connection:
        return _lacking(connection, store.home, Home(Path(to).expanduser().absolute()))


def _lacking(connection: duckdb.DuckDBPyConnection, home: Home, target: Home) -> list[Copied]:
    if is_postgres(home) or home.local_data is None:
        raise UserError("backup copies homes with a SQLite catalog and local files; use pg_dump and the bucket's copy")
    _refuse_another(home, target)
    rows = [Copied(home.local_data / file.path, target.data / file.path) for file in catalog_files(connection, home)]
    others = [
        Copied(path, target.root / path.relative_to(home.root))
        for folder in _FOLDERS
        for path in (home.root / folder).rglob("*")
        if path.is_file()
    ]
    return [one for one in (*rows, *others) if not _is_there(one)]


def _refuse_another(home: Home, target: Home) -> None:
    """Raise `UserError` where a backup would write over a warehouse that is not an older copy of this one."""
    if target.root.resolve() == home.root.resolve():
        raise UserError(f"{target.root} is the home itself; back up into another folder")
    if not target.catalog.is_file():
        return
    mine, theirs = _identity(home), _identity(target)
    if theirs is None or mine is None or theirs[0] != mine[0] or theirs[1] > mine[1]:
        raise UserError(
            f"{target.root} holds a warehouse that is no earlier copy of {home.root}; back up into a new folder"
        )


def _identity(home: Home) -> tuple[str, int] | None:
    """What every copy of a warehouse shares, and its newest snapshot; none for a catalog that cannot be read."""
    sql = "SELECT (SELECT min(schema_uuid) FROM ducklake_schema), (SELECT max(snapshot_id) FROM ducklake_snapshot)"
    try:
        with closing(sqlite3.connect(home.catalog)) as catalog:
            uuid, snapshot = catalog.execute(sql).fetchone()
    except sqlite3.DatabaseError:
        return None
    return (str(uuid), int(snapshot)) if snapshot is not None else None


def restore(from_: Path | str, to: Path | str, *, tell: Tell = untold) -> list[Finding]:
    """Make a new home in `to` from a backup, and check it; returns what the check found.

    Raises `UserError` when `to` already holds a warehouse, or `from_` holds none.
    """
    wanted = held(from_, to)
    source, target = Home.at(from_), Home(Path(to).expanduser().absolute())
    with locked(source), copying(target.root, "restoring"):
        _copy_all(source, target, wanted, tell)
    with Store.open(target) as store:
        return check(store)


def held(from_: Path | str, to: Path | str) -> list[Copied]:
    """What `restore` would copy beside the catalog; raises as it does and changes nothing."""
    source, target = Home.at(from_), Home(Path(to).expanduser().absolute())
    if not source.catalog.is_file():
        raise UserError(f"{source.root} is no backup: it has no catalog.sqlite")
    if target.catalog.exists():
        raise UserError(f"{target.root} already holds a warehouse; restore into a new folder, then swap them")
    found = [
        Copied(path, target.root / path.relative_to(source.root))
        for path in sorted(source.root.rglob("*"))
        if path.is_file() and path.relative_to(source.root).parts[0] in ("data", *_FOLDERS)
    ]
    return [one for one in found if not _is_there(one)]


def _is_there(one: Copied) -> bool:
    return one.target.exists() and one.target.stat().st_size == one.source.stat().st_size


def _copy_all(home: Home, target: Home, wanted: list[Copied], tell: Tell) -> None:
    target.create()
    for nth, one in enumerate(wanted, 1):
        _copy(one)
        tell(nth, len(wanted))
    with closing(sqlite3.connect(home.catalog)) as source, closing(sqlite3.connect(target.catalog)) as copy:
        source.backup(copy)


def _copy(one: Copied) -> None:
    one.target.parent.mkdir(parents=True, exist_ok=True)
    partial = one.target.with_name(one.target.name + ".partial")
    shutil.copyfile(one.source, partial)
    partial.replace(one.target)
