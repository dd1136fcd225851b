"""Is every file there, whole and counted right."""

from __future__ import annotations

import sqlite3
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Literal, NamedTuple

import duckdb

from warehouse.catalog import is_postgres
from warehouse.contracts import contracts
from warehouse.engine import quoted_text
from warehouse.home import Home
from warehouse.store import Store
from warehouse.upkeep.files import CatalogFile, Tell, catalog_files, untold
from warehouse.writing import checksum

Problem = Literal["missing", "size", "blake3", "unreadable", "count", "no checksum", "catalog"]


class Finding(NamedTuple):
    """One thing that is wrong: the table, the file relative to the data folder, and what."""

    table: str
    path: str
    problem: Problem
    detail: str


def check(store: Store, *, tell: Tell = untold) -> list[Finding]:
    """Every file of every kept snapshot against its size, blake3 and row count by a full scan; empty when all is well.

    `tell` is told of each file. Row counts of tables are taken by scanning too: the catalog's own statistics are not
    trusted.
    """
    with store.upkeep() as connection:
        findings = catalog_findings(store.home)
        sums = {p: (n, b) for p, n, b in connection.execute("SELECT path, n_bytes, blake3 FROM files").fetchall()}
        files = catalog_files(connection, store.home)
        for nth, file in enumerate(files, 1):
            finding = _check_file(connection, store.home, file, sums.get(file.path))
            if finding:
                findings.append(finding)
            tell(nth, len(files))
        if not findings:
            findings += _count_findings(connection)
    return findings


def cut_files(store: Store) -> list[Finding]:
    """Files of the catalog that are missing or not as long as they were, without reading any; empty when all are."""
    data = store.home.local_data
    if data is None:
        return []
    with store.upkeep() as connection:
        files = catalog_files(connection, store.home)
    found = [_length_finding(data / file.path, file) for file in files]
    return [finding for finding in found if finding]


def _length_finding(path: Path, file: CatalogFile) -> Finding | None:
    if not path.is_file():
        return Finding(file.table, file.path, "missing", "the file is not there")
    if (n_bytes := path.stat().st_size) != file.n_bytes:
        return Finding(file.table, file.path, "size", f"{n_bytes} bytes, {file.n_bytes} were written")
    return None


def _check_file(
    connection: duckdb.DuckDBPyConnection, home: Home, file: CatalogFile, known: tuple[int, str] | None
) -> Finding | None:
    def found(problem: Problem, detail: str) -> Finding:
        return Finding(file.table, file.path, problem, detail)

    if home.local_data is not None:
        path = home.local_data / file.path
        if cut := _length_finding(path, file):
            return cut
        if known is None:
            return found("no checksum", "the file is not listed in `files`")
        n_bytes, digest = checksum(path)
        if n_bytes != known[0]:
            return found("size", f"{n_bytes} bytes, {known[0]} were written")
        if digest != known[1]:
            return found("blake3", "the content is not what was written")
    n_rows, error = scanned(connection, home.data_path + file.path)
    if n_rows is None:
        return found("unreadable", error)
    if n_rows != file.n_rows:
        return found("count", f"{n_rows} rows, the catalog says {file.n_rows}")
    return None


def scanned(connection: duckdb.DuckDBPyConnection, path: str) -> tuple[int | None, str]:
    """Rows of a Parquet file by reading all of it, or none and what the engine said."""
    sql = f"SELECT count(*), bit_xor(hash(t)) FROM read_parquet('{quoted_text(path)}', hive_partitioning = false) AS t"
    try:
        row = connection.execute(sql).fetchone()
    except duckdb.Error as error:
        return None, str(error).splitlines()[0]
    return (row[0] if row else 0), ""


def catalog_findings(home: Home) -> list[Finding]:
    """What SQLite's own check finds in the catalog; works where the warehouse cannot be opened any more."""
    if is_postgres(home):
        return []
    if lost := home.lost_catalog:
        return [Finding("", home.catalog.name, "catalog", f"{lost}, while {home.local_data} holds rows")]
    if not home.catalog.is_file():
        return []
    try:
        with closing(sqlite3.connect(home.catalog)) as catalog:
            told = [row[0] for row in catalog.execute("PRAGMA integrity_check").fetchall()]
    except sqlite3.DatabaseError as error:
        told = [str(error)]
    return [] if told == ["ok"] else [Finding("", home.catalog.name, "catalog", line) for line in told[:10]]


def _count_findings(connection: duckdb.DuckDBPyConnection) -> list[Finding]:
    written = connection.execute("SELECT sum(n_rows)::BIGINT FROM batches").fetchone()
    names = [n for n in contracts() if n not in ("batches", "files")]
    scanned = Counter({n: connection.execute(f"SELECT count(batch_id) FROM {n}").fetchall()[0][0] for n in names})
    total = (written[0] if written else 0) or 0
    if scanned.total() > total:
        return [Finding("batches", "", "count", f"{scanned.total()} rows by scan, batches wrote {total}")]
    return []
