"""A DuckDB connection with the packaged, signed extensions loaded by path: nothing is fetched at run time.

DuckDB hashes 70 MB to check the signatures, which is over half of what opening a home takes. A process has a file
checked the first time and again when it is another one; no statement after the two `LOAD`s can load an unsigned one.
"""

from __future__ import annotations

import importlib.util
from functools import cache
from pathlib import Path

import duckdb

from warehouse.errors import GradatimError

PACKAGES = {
    "sqlite_scanner": "duckdb_extension_sqlite_scanner",
    "postgres_scanner": "duckdb_extension_postgres_scanner",
    "ducklake": "duckdb_extension_ducklake",
    "httpfs": "duckdb_extension_httpfs",
}


class EngineError(GradatimError):
    """DuckDB or one of its extensions is not what this version needs."""


_checked: set[tuple[str, int, int, int]] = set()
"""Files whose signature DuckDB has checked in this process: path, inode, bytes, and time of change."""


@cache
def extension_path(name: str) -> Path:
    """The file of extension `name` in its installed package; raises `EngineError` when it is missing."""
    package = PACKAGES[name]
    spec = importlib.util.find_spec(package)
    for folder in (spec.submodule_search_locations if spec else None) or ():
        for path in Path(folder).rglob(f"v{duckdb.__version__}/{name}.duckdb_extension"):
            return path
    wanted = package.replace("_", "-")
    raise EngineError(f"extension {name} for duckdb {duckdb.__version__} is missing; install: {wanted}")


def connect(
    *, memory_limit: str = "2GB", threads: int | None = None, spill: Path | None = None, postgres: bool = False
) -> duckdb.DuckDBPyConnection:
    """An in-memory DuckDB with DuckLake loaded, UTC, no network extensions and no look-ups of Python variables."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": "false",
        "autoload_known_extensions": "false",
        "python_enable_replacements": "false",
        "memory_limit": memory_limit,
    }
    if threads is not None:
        config["threads"] = threads
    if spill is not None:
        spill.mkdir(parents=True, exist_ok=True)
        config["temp_directory"] = str(spill)
    files = [extension_path(name) for name in ("postgres_scanner" if postgres else "sqlite_scanner", "ducklake")]
    stamps = {_stamp(file) for file in files}
    config["allow_unsigned_extensions"] = stamps <= _checked
    connection = duckdb.connect(":memory:", config=config)
    for file in files:
        connection.execute(f"LOAD '{quoted_text(str(file))}'")
    connection.execute("SET allow_unsigned_extensions = false")
    _checked.update(stamps)
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("SET enable_progress_bar = false")
    return connection


def _stamp(file: Path) -> tuple[str, int, int, int]:
    found = file.stat()
    return str(file), found.st_ino, found.st_size, found.st_ctime_ns


def quoted_text(text: str) -> str:
    """`text` for the inside of a single-quoted SQL literal."""
    return text.replace("'", "''")


def quoted_name(name: str) -> str:
    """`name` as a quoted SQL identifier."""
    return '"' + name.replace('"', '""') + '"'
