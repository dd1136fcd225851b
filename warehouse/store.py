"""The one writer: every row enters through `Store.commit`, whole, checked and stamped, or not at all."""

from __future__ import annotations

import contextlib
import threading
import typing
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import duckdb
import pyarrow as pa

from warehouse import migrations
from warehouse.catalog import METADATA, advisory, attach, is_postgres, join_writers, locked
from warehouse.checks import References, cast, check_rows
from warehouse.contracts import contract, contract_of
from warehouse.engine import connect, quoted_name
from warehouse.errors import UserError
from warehouse.failures import telling, told
from warehouse.home import Home
from warehouse.named import named_query
from warehouse.records import Record, Split, Status, Task
from warehouse.retry import conflicts, pauses
from warehouse.rows import records_of, tables_of
from warehouse.task_query import tasks_query
from warehouse.writing import insert, note_files, registered, written_before

R = TypeVar("R", bound=Record)


class Commit(NamedTuple):
    """What a commit did: its snapshot (the earlier one when the batch was seen), its rows, and whether it is new."""

    snapshot_id: int
    n_rows: int
    new: bool


class Store:
    """A warehouse that is open for reading and, unless read-only, for writing; safe to share between threads.

    Append-only: at most one row a key a commit; the newest row is the one with the highest `rowid`,
    which the catalog hands out in the order of commits.
    """

    def __init__(self, home: Home, connection: duckdb.DuckDBPyConnection, *, read_only: bool) -> None:
        self.home = home
        self.read_only = read_only
        self._connection = connection
        self._checking = connection.cursor()  # its default is not the lake, so that no query asks for a snapshot
        self._settings: tuple[str, int | None] = ("2GB", None)
        self._mutex = threading.RLock()
        self._references = References()
        self._in_upkeep = False

    @classmethod
    def open(
        cls,
        home: Home | Path | str,
        *,
        read_only: bool = False,
        memory_limit: str = "2GB",
        threads: int | None = None,
        snapshot: int | None = None,
    ) -> Store:
        """Open the warehouse of `home`, created and migrated when needed; raises `UserError` for a newer schema."""
        place = home if isinstance(home, Home) else Home.at(home)
        if (read_only or snapshot is not None) and not place.exists:
            raise UserError(f"there is no warehouse in {place.root}; see: gradatim --home DIR import|synth|run")
        writes = not read_only and snapshot is None
        if writes:
            place.create()
        connection = connect(
            memory_limit=memory_limit, threads=threads, spill=place.spool / "spill", postgres=is_postgres(place)
        )
        try:
            with locked(place), advisory(connection, place):
                attach(connection, place, read_only=not writes, snapshot=snapshot)
                if writes:
                    migrations.migrate(connection)
                else:
                    migrations.temp_views(connection, migrations.refuse_newer(connection))
        except duckdb.Error as error:
            connection.close()
            raise told(error, place, "opening it") from error
        except BaseException:
            connection.close()
            raise
        store = cls(place, connection, read_only=not writes)
        store._settings = (memory_limit, threads)
        return store

    def commit(self, records: Iterable[Record], *, batch: str, purpose: str, run: str) -> Commit:
        """Write `records` in one transaction over all their tables; a batch seen before is a no-op.

        Raises `ContractError` when a row breaks a contract: then nothing is written.
        """
        return self.commit_tables(tables_of(records), batch=batch, purpose=purpose, run=run)

    def commit_tables(self, tables: Mapping[str, pa.Table], *, batch: str, purpose: str, run: str) -> Commit:
        """The bulk path of `commit`: Arrow tables by table name, without the stamped columns."""
        if self.read_only:
            raise UserError(f"{self.home.root} is open read-only at a snapshot; open it for writing to commit")
        rows = {name: cast(name, table) for name, table in tables.items() if table.num_rows}
        with self._mutex:
            for name, table in rows.items():
                with registered(self._checking, {f"incoming_{name}": table}):
                    check_rows(self._checking, contract_of(name), f"incoming_{name}", table)
            return self._write(rows, batch=batch, purpose=purpose, run=run)

    def _write(self, rows: Mapping[str, pa.Table], *, batch: str, purpose: str, run: str) -> Commit:
        n_rows = sum(table.num_rows for table in rows.values())
        incoming = {name: f"incoming_{name}" for name in rows}
        for pause in pauses(is_postgres(self.home)):
            try:
                with self.transaction(purpose) as connection:
                    seen = written_before(connection, self.home, batch)
                    if seen:
                        return Commit(*seen, False)
                    now = datetime.now(UTC)
                    stamps: dict[str, str | datetime] = {"run_id": run, "batch_id": batch, "written_at": now}
                    with registered(connection, {incoming[name]: table for name, table in rows.items()}):
                        for name in rows:
                            self._references.check(connection, contract_of(name), incoming, rows)
                        written: dict[str, int] = {}
                        for name in rows:
                            written |= insert(connection, name, incoming[name], stamps)
                    note_files(connection, self.home, written, stamps)
                    connection.execute(
                        "INSERT INTO batches VALUES ($batch, $purpose, $n_rows, $run_id, $batch_id, $written_at)",
                        {"batch": batch, "purpose": purpose, "n_rows": n_rows, **stamps},
                    )
                return Commit(self._last_committed(), n_rows, True)
            except duckdb.Error as error:
                if not conflicts(error) or not pause():
                    raise told(error, self.home, f"writing {purpose}") from error
        raise AssertionError("unreachable")

    @contextmanager
    def transaction(self, purpose: str) -> Iterator[duckdb.DuckDBPyConnection]:
        """One locked transaction whose snapshot carries `purpose`; rolled back on any error. For this package only."""
        with self._mutex, locked(self.home):
            connection = self._connection
            connection.execute("BEGIN")
            try:
                if is_postgres(self.home) and not self._in_upkeep:
                    join_writers(connection)
                yield connection
                connection.execute(
                    "CALL ducklake_set_commit_message('lake', 'gradatim', $purpose)", {"purpose": purpose}
                )
                connection.execute("COMMIT")
            except BaseException:
                _rollback(connection)
                raise

    def copy_in(self, table: str, rows: pa.Table | pa.RecordBatch) -> int:
        """Append rows of another warehouse with the stamps they carry; for moves and salvage only. Returns how many."""
        if isinstance(rows, pa.RecordBatch):
            rows = pa.Table.from_batches([rows])
        if not rows.num_rows:
            return 0
        names = ", ".join(quoted_name(n) for n in rows.column_names)
        with self.transaction(f"copy of {table}") as connection:
            connection.register("copied_rows", rows)
            try:
                connection.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM copied_rows")
                stamps: dict[str, str | datetime] = {
                    "run_id": "copy",
                    "batch_id": "copy",
                    "written_at": datetime.now(UTC),
                }
                note_files(
                    connection, self.home, {table: rows.num_rows}, stamps, since=datetime(1970, 1, 1, tzinfo=UTC)
                )
            finally:
                connection.unregister("copied_rows")
        return int(rows.num_rows)

    @contextmanager
    def upkeep(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The connection while no other process writes, for upkeep; transactions may be opened inside."""
        with self._mutex, telling(self.home, "tending it"), locked(self.home), advisory(self._connection, self.home):
            self._in_upkeep = True
            try:
                yield self._connection
            finally:
                self._in_upkeep = False
                self._references.forget()

    def _last_committed(self) -> int:
        row = self._connection.execute("SELECT * FROM ducklake_last_committed_snapshot('lake')").fetchone()
        return int(row[0]) if row and row[0] is not None else self.snapshot()

    def snapshot(self) -> int:
        """The id of the newest snapshot, or of the one this store reads."""
        rows = self.rows("SELECT id FROM ducklake_current_snapshot('lake') AS s(id)")
        return int(rows[0]["id"])

    def rows(self, sql: str, params: Mapping[str, object] | None = None) -> list[dict[str, Any]]:
        """The rows of a query of our own as dictionaries."""
        return self.arrow(sql, params).to_pylist()  # type: ignore[no-any-return]

    def arrow(self, sql: str, params: Mapping[str, object] | None = None) -> pa.Table:
        """The rows of a query of our own as an Arrow table."""
        with self._mutex, telling(self.home, "reading it"):
            return self._connection.execute(sql, dict(params or {})).to_arrow_table()

    @contextmanager
    def reading(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """The connection, for a result that is read in pieces; nothing else may use the store meanwhile."""
        with self._mutex, telling(self.home, "reading it"):
            yield self._connection

    def named(self, name: str, **params: object) -> pa.Table:
        """The rows of `warehouse/sql/NAME.sql`; raises `UserError` for an unknown name or parameter."""
        query = named_query(name)
        return self.arrow(query.sql, query.bind(params))

    def tasks(
        self,
        *,
        split: Split | str | None = None,
        status: Status | str | None = Status.ACCEPTED,
        family: str | None = None,
        task_ids: Sequence[str] | None = None,
        private: bool = True,
    ) -> list[Task]:
        """Current tasks that match, sorted by id, with hidden tests and held-out texts unless `private` is false."""
        wanted = {"split": split, "family": family}
        inner = [f"{name} = ${name}" for name, value in wanted.items() if value is not None]
        params: dict[str, object] = {name: str(value) for name, value in wanted.items() if value is not None}
        if task_ids is not None:
            inner.append("task_id IN (SELECT unnest($task_ids::VARCHAR[]))")
            params["task_ids"] = list(task_ids)
        outer = "true"
        if status is not None:
            outer, params["status"] = "status = $status", str(status)
        sql = tasks_query(" AND ".join(inner) or "true", outer, private=private)
        return records_of(Task, self.arrow(sql, params))

    def read(self, record: type[R], where: str = "", params: Mapping[str, object] | None = None) -> list[R]:
        """The newest row of each key as records; `where` is SQL of our own over the table's columns."""
        condition = where or "true"
        if record is Task:
            found = records_of(Task, self.arrow(tasks_query("true", condition, private=True), params))
            return typing.cast("list[R]", found)
        table = contract(record)
        names = ", ".join(f'"{c.name}"' for c in table.columns)
        keys = ", ".join(f'"{k}"' for k in table.keys)
        newest = f"row_number() OVER (PARTITION BY {keys} ORDER BY rowid DESC)"
        sql = (
            f"SELECT {names} FROM (SELECT *, rowid AS place, {newest} AS nth FROM {table.name}) "
            f"WHERE nth = 1 AND ({condition}) ORDER BY place"
        )
        return records_of(record, self.arrow(sql, params))

    def at(self, snapshot_id: int) -> Store:
        """The warehouse as it was at `snapshot_id`, read-only, with today's views; close it like any other."""
        newest = self.snapshot()
        known = self.rows(
            f"SELECT count(*) AS n FROM {METADATA}.ducklake_snapshot WHERE snapshot_id = $id", {"id": snapshot_id}
        )
        if not known[0]["n"]:
            raise UserError(
                f"snapshot {snapshot_id} is not kept; the newest is {newest}; see: gradatim sql --named batches"
            )
        memory_limit, threads = self._settings
        return Store.open(self.home, snapshot=snapshot_id, memory_limit=memory_limit, threads=threads)

    @contextmanager
    def scratch(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A DuckDB of its own with this store's limits, for joins between snapshots."""
        memory_limit, threads = self._settings
        connection = connect(memory_limit=memory_limit, threads=threads, spill=self.home.spool / "spill")
        try:
            yield connection
        finally:
            connection.close()

    def close(self) -> None:
        """Let go of the connection; the store is of no use afterwards."""
        with self._mutex:
            self._checking.close()
            self._connection.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _rollback(connection: duckdb.DuckDBPyConnection) -> None:
    with contextlib.suppress(duckdb.TransactionException):  # the failed statement may have ended it
        connection.execute("ROLLBACK")
