"""Where the catalog lies and how to attach it: SQLite in the home by default, PostgreSQL by URL."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from urllib.parse import parse_qsl, unquote

import duckdb
from filelock import Timeout

from warehouse.backups import way_back
from warehouse.engine import quoted_text
from warehouse.errors import UserError
from warehouse.home import Home, catalog_parts, locked_out
from warehouse.object_store import is_object_store, open_bucket

LAKE = "lake"
"""The name under which our own connections attach a warehouse."""
METADATA = f"__ducklake_metadata_{LAKE}"
"""DuckLake's own tables, as DuckDB sees them."""
BUSY_TIMEOUT_MS = 60_000
UPKEEP_LOCK = 0x67726164
"""Advisory lock of creation, migration and upkeep in PostgreSQL."""


def is_postgres(home: Home) -> bool:
    """Whether the catalog of `home` is a PostgreSQL database."""
    return home.catalog_url is not None


def attach(
    connection: duckdb.DuckDBPyConnection, home: Home, *, read_only: bool = False, snapshot: int | None = None
) -> None:
    """Attach the warehouse of `home` as `lake` and make it the default; the caller holds the lock."""
    refuse_lost_catalog(home)
    if is_object_store(home.data_url):
        open_bucket(connection, str(home.data_url))
    options = [f"DATA_PATH '{quoted_text(home.data_path)}'", "OVERRIDE_DATA_PATH true", "DATA_INLINING_ROW_LIMIT 0"]
    if is_postgres(home):
        target = f"postgres:{quoted_text(libpq(str(home.catalog_url)))}"
        options.append("META_ISOLATION_LEVEL 'SERIALIZABLE'")
        connection.execute("SET ducklake_max_retry_count = 0")  # its own retry would not look for the batch again
    else:
        target = f"sqlite:{quoted_text(str(home.catalog))}"
        options += ["META_JOURNAL_MODE 'WAL'", f"META_BUSY_TIMEOUT {BUSY_TIMEOUT_MS}"]
    if snapshot is not None:
        options.append(f"SNAPSHOT_VERSION {int(snapshot)}")
    elif read_only:
        options.append("READ_ONLY")
    connection.execute(f"ATTACH 'ducklake:{target}' AS {LAKE} ({', '.join(options)})")
    connection.execute(f"USE {LAKE}")


def refuse_lost_catalog(home: Home) -> None:
    """Raise `UserError` where rows lie without a catalog: a new one would pass over them in silence."""
    if lost := home.lost_catalog:
        raise UserError(f"{home.catalog} is {lost} while {home.local_data} holds rows; {way_back(home)}")


def libpq(url: str) -> str:
    r"""A `postgres://` URL as a libpq connection string; the password may come from PGPASSWORD instead.

    >>> libpq("postgres://me@localhost:5432/lake")
    'host=localhost port=5432 user=me dbname=lake'
    >>> libpq("postgres://me:it%27s@localhost/lake?sslmode=require")
    "host=localhost user=me password='it\\'s' dbname=lake sslmode=require"
    """
    parts = catalog_parts(url)
    fields = {
        "host": parts.hostname,
        "port": parts.port,
        "user": parts.username and unquote(parts.username),
        "password": parts.password and unquote(parts.password),
        "dbname": unquote(parts.path.lstrip("/")),
        **dict(parse_qsl(parts.query)),
    }
    return " ".join(f"{key}={_libpq_value(str(value))}" for key, value in fields.items() if value)


def _libpq_value(text: str) -> str:
    if re.fullmatch(r"[\w.:/-]+", text, re.ASCII):
        return text
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"


@contextmanager
def locked(home: Home) -> Iterator[None]:
    """Hold the home's lock: around attach, creation and migration everywhere, and every transaction on SQLite.

    Raises `UserError` when another process keeps it too long, or where the home cannot be written: readers lock too.
    """
    try:
        lock = home.lock()
        lock.acquire()
    except Timeout as error:
        raise locked_out(home, error) from error
    except OSError as error:
        raise UserError(
            f"home '{home.root}' cannot be locked: {error.strerror}; permit writing there, "
            "or copy the folder and use the copy: gradatim --home COPY"
        ) from error
    try:
        yield
    finally:
        lock.release()


def join_writers(connection: duckdb.DuckDBPyConnection) -> None:
    """Keep PostgreSQL's upkeep out until the running transaction ends: nothing deletes beside a writer."""
    connection.execute(
        f"FROM postgres_query('{METADATA}', 'SELECT 1 FROM pg_advisory_xact_lock_shared({UPKEEP_LOCK})')"
    )


@contextmanager
def advisory(connection: duckdb.DuckDBPyConnection, home: Home) -> Iterator[None]:
    """Hold PostgreSQL's advisory lock of creation and upkeep, in a connection of its own; nothing on SQLite."""
    if not is_postgres(home):
        yield
        return
    apart = connection.cursor()
    try:
        apart.execute(f"ATTACH '{quoted_text(libpq(str(home.catalog_url)))}' AS upkeep_lock (TYPE postgres)")
        apart.execute("BEGIN")
        apart.execute(f"FROM postgres_query('upkeep_lock', 'SELECT 1 FROM pg_advisory_xact_lock({UPKEEP_LOCK})')")
        yield
    finally:
        with suppress(duckdb.Error):  # where nothing was attached, that error is the one to tell
            apart.execute("ROLLBACK")
            apart.execute("DETACH upkeep_lock")
        apart.close()
