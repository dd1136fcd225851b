"""The change feed: rows that came after a snapshot, so that a scheduled flow handles just what is new."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple, TypeVar

import pyarrow as pa

from warehouse.catalog import locked
from warehouse.contracts import contract_of
from warehouse.errors import UserError
from warehouse.home import Home
from warehouse.records import Record, Status, Task
from warehouse.store import Store

R = TypeVar("R", bound=Record)


class Changes(NamedTuple):
    """New rows and the snapshot up to which they reach: the `since` of the next call."""

    rows: pa.Table
    until: int


def changes(store: Store, table: str, since: int) -> Changes:
    """Rows of `table` written after snapshot `since` in the order of commits, each with its `snapshot`.

    `since` = 0 is everything. Nothing is missed or doubled between calls, compaction or purge in between or not.
    """
    name = contract_of(table).name
    until = store.snapshot()
    rows = store.arrow(
        f"SELECT b.written_in AS snapshot, t.* FROM {name} AS t"
        " INNER JOIN (SELECT batch, snapshot_id AS written_in FROM batches) AS b ON b.batch = t.batch_id"
        " WHERE b.written_in > $since AND b.written_in <= $until ORDER BY t.rowid",
        {"since": since, "until": until},
    )
    return Changes(rows, until)


def reached(home: Home, reader: str, table: str) -> int:
    """The snapshot up to which `reader` has had the rows of `table`; 0 where it has had none."""
    return _readers(home).get(f"{reader}/{contract_of(table).name}", 0)


def note_reached(home: Home, reader: str, table: str, until: int, *, back: bool = False) -> None:
    """Remember that `reader` has had the rows of `table` up to the snapshot `until`; goes back only when asked."""
    with locked(home):
        readers = _readers(home)
        key = f"{reader}/{contract_of(table).name}"
        _write(home, readers | {key: until if back else max(until, readers.get(key, 0))})


def renumber(old: Store, new: Store) -> None:
    """Put the readers of `old` where they stand in `new`, a copy in the same home whose snapshots are numbered anew.

    A reader that has had every row goes on behind the copy; one that has not is given all of them again.
    """
    with locked(old.home):
        places = {}
        for key, since in _readers(old.home).items():
            name = contract_of(key.rpartition("/")[2]).name
            left = old.rows(
                f"SELECT 1 AS n FROM batches AS b SEMI JOIN {name} AS t ON t.batch_id = b.batch"
                " WHERE b.snapshot_id > $since LIMIT 1",
                {"since": since},
            )
            places[key] = 0 if left else new.snapshot()
        if places:
            _write(old.home, places)


def _write(home: Home, readers: Mapping[str, int]) -> None:
    draft = home.feeds.with_suffix(".partial")
    draft.write_text(json.dumps(readers, indent=2, sort_keys=True) + "\n", "utf-8")
    draft.replace(home.feeds)


def _readers(home: Home) -> dict[str, int]:
    try:
        told = json.loads(home.feeds.read_text("utf-8"))
        return {str(key): int(until) for key, until in told.items()}
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, AttributeError) as error:
        raise UserError(
            f"{home.feeds} cannot be read ({error}); delete it to start every reader anew, or give --since"
        ) from error


def tasks_lacking(
    store: Store, check: str, *, since: datetime | None = None, status: Status | None = Status.ACCEPTED
) -> list[Task]:
    """Current tasks written from `since` on that `check` has not judged yet: what a backfill re-judges."""
    rows = store.rows(
        'SELECT t.task_id FROM current_tasks t ANTI JOIN (SELECT task_id FROM verdicts WHERE "check" = $check) v'
        " ON v.task_id = t.task_id WHERE ($since::TIMESTAMPTZ IS NULL OR t.written_at >= $since::TIMESTAMPTZ)"
        " ORDER BY t.task_id",
        {"check": check, "since": since},
    )
    return store.tasks(task_ids=[r["task_id"] for r in rows], status=status)
