"""Which Parquet files the catalog counts on, at any snapshot that is kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import duckdb

from warehouse.catalog import METADATA
from warehouse.home import Home

_FILES = f"""
SELECT s.schema_name, t.table_name, f.path, f.path_is_relative, t.path, t.path_is_relative, s.path, s.path_is_relative,
    f.record_count, f.file_size_bytes, f.end_snapshot IS NULL
FROM {METADATA}.ducklake_data_file AS f
INNER JOIN {METADATA}.ducklake_table AS t ON t.table_id = f.table_id
INNER JOIN {METADATA}.ducklake_schema AS s ON s.schema_id = t.schema_id
WHERE t.end_snapshot IS NULL AND s.end_snapshot IS NULL
ORDER BY f.data_file_id
"""


Tell = Callable[[int, int], None]
"""Told how many pieces of long work are done, and how many there are."""


def untold(done: int, total: int) -> None:
    """Tells nobody."""


class CatalogFile(NamedTuple):
    """One Parquet file as the catalog knows it; `path` is relative to the data folder."""

    table: str
    path: str
    n_rows: int
    n_bytes: int
    current: bool


def catalog_files(connection: duckdb.DuckDBPyConnection, home: Home) -> list[CatalogFile]:
    """Every Parquet file of rows in the catalog, oldest first."""
    root = home.data_path
    files = []
    for schema, table, *parts, n_rows, n_bytes, current in connection.execute(_FILES).fetchall():
        path = ""
        for part, relative in zip(parts[0::2], parts[1::2], strict=True):
            path = f"{part}{path}" if not path else f"{part.rstrip('/')}/{path}"
            if not relative:
                break
        name = table if schema == "main" else f"{schema}.{table}"
        files.append(CatalogFile(name, path.removeprefix(root), n_rows, n_bytes, current))
    return files
