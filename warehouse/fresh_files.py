"""The Parquet files that a write has just made, read off their names: they begin with the time of their making."""

from __future__ import annotations

import os
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pyarrow.parquet as pq

from warehouse.home import Home


def fresh_files(home: Home, table: str, since: str | datetime, n_rows: int) -> list[str] | None:
    """The files of `table` made since `since`, when they hold `n_rows` in all; none when that cannot be said.

    A listing costs a fifth of a microsecond a file, where DuckLake's own answer reads the bounds of every column of
    every file. Another writer's files, or a clock that was set back, show in the count: then DuckLake must be asked.
    """
    if home.local_data is None or not isinstance(since, datetime):
        return None
    schema, _, name = table.rpartition(".")
    folder = home.local_data / (schema or "main") / name
    try:
        found = [str(path) for path in _since(folder, since)]
        whole = sum(pq.read_metadata(path).num_rows for path in found) == n_rows
    except (OSError, ValueError):  # a name that is not there, a file that another writer has not finished
        return None
    return found if whole else None


def _since(folder: Path, since: datetime) -> Iterator[Path]:
    moment = f"{int(since.timestamp() * 1000):012x}"
    first = f"ducklake-{moment[:8]}-{moment[8:]}"
    utc = since.astimezone(UTC)
    months = {"year": utc.year, "month": utc.month}
    for name in os.listdir(folder):
        key, is_partition, value = name.partition("=")
        if is_partition:
            if key not in months or value == str(months[key]):
                yield from _since(folder / name, since)
        elif name >= first:
            yield folder / name
