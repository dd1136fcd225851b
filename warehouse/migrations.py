"""Numbered, forward-only migrations: what is applied, what is missing, and a refusal of newer schemas."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import duckdb
from blake3 import blake3

from warehouse.contracts import contracts
from warehouse.engine import quoted_name
from warehouse.errors import UserError

SCHEMA = Path(__file__).parent / "schema"
VIEWS = Path(__file__).parent / "views"
INLINED = ("batches", "files", "schema_version")
"""Tables with a row or two a commit: they live in the catalog itself, up to this many rows a write."""
INLINED_ROWS = 10_000


@dataclass(frozen=True)
class Migration:
    """All files of one number; they are applied in one transaction."""

    version: int
    files: tuple[Path, ...]

    @property
    def digest(self) -> str:
        """blake3 of the statements, so that an edited migration is noticed."""
        return blake3(b"\0".join(f.read_bytes() for f in self.files)).hexdigest()


def migrations(folder: Path = SCHEMA) -> list[Migration]:
    """The migrations in `folder`, in order."""
    files = sorted(folder.glob("[0-9][0-9][0-9][0-9]_*.sql"))
    return [Migration(int(number), tuple(group)) for number, group in groupby(files, key=lambda f: f.name[:4])]


def applied(connection: duckdb.DuckDBPyConnection) -> dict[int, str]:
    """Applied versions and their digests; empty for a new catalog."""
    found = connection.execute(
        "SELECT 1 FROM duckdb_tables() WHERE database_name = 'lake' AND table_name = 'schema_version'"
    ).fetchone()
    if not found:
        return {}
    return dict(connection.execute("SELECT version, digest FROM schema_version WHERE kind = 'schema'").fetchall())


def refuse_newer(connection: duckdb.DuckDBPyConnection, folder: Path = SCHEMA) -> dict[int, str]:
    """The applied versions; raises `UserError` when a newer gradatim wrote this home."""
    done, newest = applied(connection), max((m.version for m in migrations(folder)), default=0)
    if done and max(done) > newest:
        raise UserError(
            f"the home has schema {max(done)}, this gradatim knows up to {newest}; "
            "install the version that wrote it: pip install --upgrade gradatim"
        )
    return done


def migrate(connection: duckdb.DuckDBPyConnection, folder: Path = SCHEMA, views: Path = VIEWS) -> int:
    """Apply what is missing, each version in one transaction, then today's views; returns the schema version.

    A new home is finished by its first row of `schema_version`; a creation that broke before is repeated, for
    which every statement can be. That row comes last because DuckLake 1.5.5 numbers schemas wrongly for tables
    made after an option was set: compaction fails on them.
    """
    done = refuse_newer(connection, folder)
    new = not done
    for migration in migrations(folder):
        if migration.version in done:
            continue
        with _transaction(connection, f"schema {migration.version}"):
            for file in migration.files:
                connection.execute(file.read_text("utf-8"))
            if not new:
                _note(connection, "schema", migration.version, migration.digest)
        done[migration.version] = migration.digest
    digest = _install_views(connection, views, new=new)
    if new:
        for table in INLINED:
            connection.execute(
                f"CALL lake.set_option('data_inlining_row_limit', {INLINED_ROWS}, table_name => '{table}')"
            )
        with _transaction(connection, "schema is complete"):
            for version, sum_ in done.items():
                _note(connection, "schema", version, sum_)
            _note(connection, "views", 0, digest)
    return max(done, default=0)


def view_statements(folder: Path = VIEWS) -> list[tuple[str, str]]:
    """Name and query of each view, in the order in which they build on each other."""
    return [(f.stem.split("_", 1)[1], f.read_text("utf-8").rstrip().rstrip(";")) for f in sorted(folder.glob("*.sql"))]


def temp_views(connection: duckdb.DuckDBPyConnection, done: dict[int, str]) -> None:
    """Today's views of a warehouse that is only read; `done` are the migrations that it, or its snapshot, has seen.

    A table of an older schema is seen through a view of its own, in which columns that came later are none.
    """
    if max(done, default=0) < max(m.version for m in migrations()):
        for table, query in _completed(connection):
            connection.execute(f"CREATE TEMP VIEW {table} AS {query}")
    for name, query in view_statements():
        connection.execute(f"CREATE TEMP VIEW {name} AS {query}")


def _completed(connection: duckdb.DuckDBPyConnection) -> Iterator[tuple[str, str]]:
    rows = connection.execute(
        "SELECT table_name, list(column_name) FROM duckdb_columns()"
        " WHERE database_name = 'lake' AND schema_name = 'main' GROUP BY table_name"
    ).fetchall()
    stored: dict[str, list[str]] = dict(rows)
    for table in contracts().values():
        later = [c for c in table.public if c.name not in stored.get(table.name, [c.name])]
        if later:
            columns = ", ".join(f"NULL::{c.sql_type} AS {quoted_name(c.name)}" for c in later)
            yield table.name, f"SELECT *, {columns}, rowid, snapshot_id FROM lake.main.{table.name}"


def _install_views(connection: duckdb.DuckDBPyConnection, folder: Path, *, new: bool) -> str:
    statements = view_statements(folder)
    digest = blake3("\0".join(f"{n}\0{q}" for n, q in statements).encode()).hexdigest()
    if not new:
        newest = connection.execute(
            "SELECT digest FROM schema_version WHERE kind = 'views' ORDER BY rowid DESC LIMIT 1"
        ).fetchone()
        if newest == (digest,):
            return digest
    with _transaction(connection, "views"):
        for name, query in statements:
            connection.execute(f"CREATE OR REPLACE VIEW {name} AS {query}")
        if not new:
            _note(connection, "views", 0, digest)
    return digest


@contextmanager
def _transaction(connection: duckdb.DuckDBPyConnection, purpose: str) -> Iterator[None]:
    connection.execute("BEGIN")
    try:
        yield
        connection.execute("CALL ducklake_set_commit_message('lake', 'gradatim', $purpose)", {"purpose": purpose})
        connection.execute("COMMIT")
    except BaseException:
        with suppress(duckdb.TransactionException):  # the failed statement may have ended it
            connection.execute("ROLLBACK")
        raise


def _note(connection: duckdb.DuckDBPyConnection, kind: str, version: int, digest: str) -> None:
    connection.execute(
        "INSERT INTO schema_version VALUES ($kind, $version, $digest, now())",
        {"kind": kind, "version": version, "digest": digest},
    )
