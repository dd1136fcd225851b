"""SQL from people: one parsed SELECT or EXPLAIN over the public tables and views, in a locked-down connection.

Covered: several statements, writes, COPY, ATTACH, INSTALL, LOAD, PRAGMA, SET and CALL (not a SELECT); files by
name or by table function, catalogs of DuckDB and DuckLake, settings, environment and secrets (names are allowed
one by one, on DuckDB's own parse tree); hidden tests and held-out texts (the private schema is neither named nor
its folder readable unless asked for); queries that run for ever, fill memory or return without end.

Not covered: what completions of a policy say about held-out tasks; a person who can read the home's files.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Mapping
from pathlib import Path

import duckdb
import pyarrow as pa

from warehouse import migrations
from warehouse.catalog import attach, is_postgres, locked
from warehouse.contracts import PRIVATE_TABLE, contracts
from warehouse.engine import connect, quoted_text
from warehouse.errors import UserError
from warehouse.failures import is_damage, said, told
from warehouse.home import Home
from warehouse.named import named_query
from warehouse.statement import allowed_statement

TIMEOUT_S = 60.0
LONGEST_S = 86_400.0
ROW_LIMIT = 100_000
IDS = dict.fromkeys(("policy", "policy_a", "policy_b", "before", "after"), "policies") | {"stage": "stages"}
"""Parameters of named queries that hold ids, and the table of those."""
TRUNCATED = b"truncated"
"""Key of the result's schema metadata that is set when the row limit cut it."""


class SqlTimeout(UserError):
    """A query ran into its time limit and was interrupted."""


def run(
    home: Home | Path | str,
    sql: str,
    *,
    params: Mapping[str, object] | None = None,
    private: bool = False,
    timeout_s: float = TIMEOUT_S,
    row_limit: int = ROW_LIMIT,
    memory_limit: str = "2GB",
    snapshot: int | None = None,
) -> pa.Table:
    """The rows of one SELECT or EXPLAIN, at most `row_limit`; parameters are bound as values, written `$name`.

    Raises `UserError` for anything else, for names that are not public, for SQL that does not run, and `SqlTimeout`
    after `timeout_s` seconds.
    """
    place = home if isinstance(home, Home) else Home.at(home)
    if not place.exists:
        raise UserError(f"there is no warehouse in {place.root}; see: gradatim --home DIR import|synth|run")
    if not 0 < timeout_s <= LONGEST_S:
        raise UserError(f"the time limit is {timeout_s:g} s, must be above 0 and at most {LONGEST_S:g}")
    statement = allowed_statement(sql, tables=public_names(), private={PRIVATE_TABLE} if private else set())
    connection = _locked_down(place, private=private, memory_limit=memory_limit, snapshot=snapshot)
    watch = _Watch(connection, timeout_s)
    try:
        with watch:
            return _fetch(connection.execute(statement, dict(params or {})), row_limit)
    except duckdb.InterruptException as error:
        raise SqlTimeout(
            f"the query ran longer than {timeout_s:g} s and was stopped; narrow it or raise --timeout-s"
        ) from error
    except duckdb.Error as error:
        if is_damage(error):
            raise told(error, place, "reading it") from error
        raise UserError(f"the query failed: {said(error)}; see: gradatim tables") from error
    except ValueError as error:
        raise UserError(f"the query failed: {' '.join(str(error).split())}; see: gradatim tables") from error
    finally:
        connection.close()


def run_named(
    home: Home | Path | str, name: str, params: Mapping[str, object] | None = None, **limits: float
) -> pa.Table:
    """The rows of a named query under the same lock-down; raises `UserError` for unknown names and parameters.

    Ids of policies and stages may be given by their first characters, as long as they fit one.
    """
    query = named_query(name)
    bound = {key: _whole_id(home, key, value) for key, value in query.bind(params or {}).items()}
    return run(home, query.sql, params=bound, **limits)  # type: ignore[arg-type]


def _whole_id(home: Home | Path | str, param: str, value: object) -> object:
    """The id that `value` begins, for a parameter that names a policy or a stage; every other value as it is."""
    table = IDS.get(param)
    if table is None or not (isinstance(value, str) and re.fullmatch(r"[0-9a-f]{4,}", value)):
        return value
    key = f"{table.removesuffix('s') if table == 'stages' else 'policy'}_id"
    found = run(
        home, f"SELECT DISTINCT {key} AS id FROM {table} WHERE starts_with({key}, $value)", params={"value": value}
    )
    if found.num_rows != 1:
        raise UserError(f"{param} '{value}' matches {found.num_rows} {table}, must match 1; see: gradatim policies")
    return found["id"][0].as_py()


def public_names() -> set[str]:
    """Every table and view that people may name."""
    return {*contracts(), "schema_version", *(name for name, _ in migrations.view_statements())}


def attach_line(home: Home | Path | str) -> str:
    """The statement that attaches the warehouse, read-only, in any DuckDB client with the ducklake extension."""
    place = home if isinstance(home, Home) else Home.at(home)
    catalog = f"postgres:{place.catalog_url}" if is_postgres(place) else f"sqlite:{quoted_text(str(place.catalog))}"
    return (
        f"ATTACH 'ducklake:{catalog}' AS gradatim "
        f"(READ_ONLY, DATA_PATH '{quoted_text(place.data_path)}', OVERRIDE_DATA_PATH true);"
    )


def _locked_down(home: Home, *, private: bool, memory_limit: str, snapshot: int | None) -> duckdb.DuckDBPyConnection:
    connection = connect(memory_limit=memory_limit, spill=home.spool / "spill", postgres=is_postgres(home))
    try:
        with locked(home):
            attach(connection, home, read_only=True, snapshot=snapshot)
            migrations.temp_views(connection, migrations.refuse_newer(connection))
        schemas = ("main", "private") if private else ("main",)
        folders = ", ".join(f"'{quoted_text(home.data_path)}{schema}/'" for schema in schemas)
        connection.execute(f"SET allowed_directories = [{folders}]")
        connection.execute("SET enable_external_access = false")
        connection.execute("SET lock_configuration = true")
    except duckdb.Error as error:
        connection.close()
        raise told(error, home, "opening it") from error
    except BaseException:
        connection.close()
        raise
    return connection


def _fetch(result: duckdb.DuckDBPyConnection, row_limit: int) -> pa.Table:
    reader = result.to_arrow_reader(min(row_limit + 1, 100_000))
    batches, n_rows = [], 0
    for batch in reader:
        batches.append(batch)
        n_rows += batch.num_rows
        if n_rows > row_limit:
            break
    table = pa.Table.from_batches(batches, schema=reader.schema)
    if n_rows <= row_limit:
        return table
    return table.slice(0, row_limit).replace_schema_metadata({TRUNCATED: str(row_limit)})


class _Watch:
    """Interrupts a connection after a while, again and again until it is left."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, timeout_s: float) -> None:
        self._connection = connection
        self._timeout_s = timeout_s
        self._done = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def _watch(self) -> None:
        if self._done.wait(self._timeout_s):
            return
        while not self._done.wait(0.05):
            self._connection.interrupt()

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()
