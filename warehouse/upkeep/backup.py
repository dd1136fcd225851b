"""A copy of a home that works on its own, and a home from such a copy."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

from warehouse.catalog import is_postgres, locked
from warehouse.errors import UserError
from warehouse.home import Home
from warehouse.store import Store
from warehouse.upkeep.check import Finding, check
from warehouse.upkeep.files import catalog_files

_FOLDERS = ("blobs", "checkpoints", "reports")


def backup(store: Store, to: Path | str) -> Path:
    """Copy catalog (by SQLite's backup API), Parquet files, blobs, checkpoints and reports to the folder `to`.

    Files are never changed once written, so a second backup to the same folder copies just what is new.
    Raises `UserError` for a catalog that is not SQLite: use the database's own tools there.
    """
    home = store.home
    if is_postgres(home) or home.local_data is None:
        raise UserError("backup copies homes with a SQLite catalog and local files; use pg_dump and the bucket's copy")
    target = Home(Path(to).expanduser().absolute())
    target.create()
    with store.upkeep() as connection:
        for file in catalog_files(connection, home):
            _copy_new(home.local_data / file.path, target.data / file.path)
        with closing(sqlite3.connect(home.catalog)) as source, closing(sqlite3.connect(target.catalog)) as copy:
            source.backup(copy)
        for folder in _FOLDERS:
            for path in (home.root / folder).rglob("*"):
                if path.is_file():
                    _copy_new(path, target.root / path.relative_to(home.root))
    return target.root


def restore(from_: Path | str, to: Path | str) -> list[Finding]:
    """Make a new home in `to` from a backup, and check it; returns what the check found.

    Raises `UserError` when `to` already holds a warehouse, or `from_` holds none.
    """
    source, target = Home.at(from_), Home(Path(to).expanduser().absolute())
    if not source.catalog.is_file():
        raise UserError(f"{source.root} is no backup: it has no catalog.sqlite")
    if target.catalog.exists():
        raise UserError(f"{target.root} already holds a warehouse; restore into a new folder, then swap them")
    with locked(source):
        target.create()
        for path in sorted(source.root.rglob("*")):
            relative = path.relative_to(source.root)
            if path.is_file() and relative.parts[0] in ("data", *_FOLDERS):
                _copy_new(path, target.root / relative)
        with closing(sqlite3.connect(source.catalog)) as old, closing(sqlite3.connect(target.catalog)) as copy:
            old.backup(copy)
    with Store.open(target) as store:
        return check(store)


def _copy_new(source: Path, target: Path) -> None:
    if target.exists() and target.stat().st_size == source.stat().st_size:
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    partial = target.with_name(target.name + ".partial")
    shutil.copyfile(source, partial)
    partial.replace(target)
