"""Rows out of the Parquet files alone, for a home whose catalog is gone or broken.

A row says which write it belongs to and when that was, so that rows which lie in several files, before and after they
were merged, are told apart from others, and come in the order of their writes. What only the catalog knew is lost: the
snapshots, the words and the marks of writes without rows, and the checksums.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import duckdb
import pyarrow as pa

from warehouse.contracts import PRIVATE_TABLE, STAMPS, contract_of, contracts
from warehouse.engine import connect, quoted_name, quoted_text
from warehouse.errors import UserError
from warehouse.home import Home
from warehouse.migrations import INLINED
from warehouse.store import Store
from warehouse.upkeep.check import Finding, scanned
from warehouse.upkeep.files import Tell, untold

SECRETS = f"private.{PRIVATE_TABLE}"
DELETIONS = "-delete.parquet"
"""How the names of files end that say which rows of another file were deleted."""
CHUNK = 100_000
"""Rows copied at once."""
BATCHES = "a write that was salvaged with its rows"


def loose_files(home: Home) -> dict[str, list[Path]]:
    """Every Parquet file of rows below the data folder by the table whose folder it lies in, oldest name first."""
    if home.local_data is None:
        raise UserError(
            f"the files lie in {home.data_path}, which is not read without a catalog; copy them to a folder 'data' of "
            "an empty home, then: gradatim --home THAT warehouse check --salvage FOLDER"
        )
    found: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(home.local_data.rglob("*.parquet"), key=lambda path: path.name):
        schema, table, *_ = (*path.relative_to(home.local_data).parts, "")
        if not path.name.endswith(DELETIONS):
            found[table if schema == "main" else f"{schema}.{table}"].append(path)
    return found


def loose_findings(home: Home) -> list[Finding]:
    """The Parquet files that cannot be read, by a full scan, and those that hold rows of another kind than their table.

    A flipped bit that still reads is not seen.
    """
    if home.local_data is None:
        return []
    with _engine(home) as connection:
        return [
            Finding(table, str(path.relative_to(home.local_data)), "unreadable", error)
            for table, paths in loose_files(home).items()
            for path in paths
            if (error := _unusable(connection, table, str(path)))
        ]


def _unusable(connection: duckdb.DuckDBPyConnection, table: str, path: str) -> str:
    """Why the rows of a file cannot go into its table, empty when they can; a column that came later may be missing."""
    n_rows, error = scanned(connection, path)
    if n_rows is None or table not in {*contracts(), SECRETS}:
        return error
    known = () if table == SECRETS else contract_of(table).columns
    needed = {"task_id", *STAMPS} if table == SECRETS else {c.name for c in known if not c.nullable} | {*STAMPS}
    types = {c.name: c.sql_type for c in known} | {name: told[0] for name, told in STAMPS.items()}
    rows = f"read_parquet('{quoted_text(path)}', hive_partitioning = false)"
    found = {str(row[0]): str(row[1]) for row in connection.execute(f"DESCRIBE FROM {rows}").fetchall()}
    if missing := sorted(needed - set(found)):
        return f"it holds no rows of {table}: {', '.join(missing)} is missing"
    others = [name for name, kind in found.items() if kind != types.get(name, kind)]
    if others:
        casts = ", ".join(f"bit_xor(hash(CAST({quoted_name(name)} AS {types[name]})))" for name in others)
        try:
            connection.execute(f"SELECT {casts} FROM {rows}").fetchone()
        except duckdb.Error as refused:
            return f"it holds no rows of {table}: {str(refused).splitlines()[0]}"
    return ""


def rescue(
    home: Home, target: Home, *, dry_run: bool = False, tell: Tell = untold
) -> Mapping[str, Mapping[str, int | None]]:
    """Build a new home in `target` from the Parquet files of `home`, without its catalog.

    Returns per table `{"n_rows", "n_files_lost", "n_rows_lost"}`, the last none where files are lost: only the catalog
    knew. Raises `UserError` when the files are not on this machine. With `dry_run` rows are only counted.
    """
    files = loose_files(home)
    unreadable = {finding.path for finding in loose_findings(home)}
    told: dict[str, dict[str, int | None]] = {}
    with _engine(home) as source:
        source.execute("CREATE TABLE deleted AS " + deletions(home, source))
        rebuilt = None if dry_run else Store.open(target)
        try:
            names = [n for n in (*contracts(), SECRETS) if n not in INLINED]
            for nth, name in enumerate(names, 1):
                mine = files.pop(name, [])
                whole = [path for path in mine if str(path.relative_to(home.data_path)) not in unreadable]
                n_lost = len(mine) - len(whole)
                n_rows = _rescue(source, rebuilt, name, whole) if whole else 0
                told[name] = {"n_rows": n_rows, "n_files_lost": n_lost, "n_rows_lost": None if n_lost else 0}
                tell(nth, len(names))
            for name in set(files) - set(INLINED):  # a table that this version does not know
                told[name] = {"n_rows": 0, "n_files_lost": len(files[name]), "n_rows_lost": None}
            if rebuilt is not None:
                rebuilt.copy_in("batches", rebuilt.arrow(_written([n for n in told if n in contracts()])))
        finally:
            if rebuilt is not None:
                rebuilt.close()
    return told


@contextmanager
def _engine(home: Home) -> Iterator[duckdb.DuckDBPyConnection]:
    connection = connect(spill=home.spool / "spill")
    try:
        yield connection
    finally:
        connection.close()


def deletions(home: Home, connection: duckdb.DuckDBPyConnection) -> str:
    """The query that names each deleted row by its file and its place in it."""
    found = [] if home.local_data is None else [str(path) for path in sorted(home.local_data.rglob(f"*{DELETIONS}"))]
    paths = [path for path in found if scanned(connection, path)[0] is not None]
    if not paths:
        return "SELECT NULL::VARCHAR AS file, NULL::BIGINT AS place WHERE false"
    return f"SELECT DISTINCT parse_filename(file_path) AS file, pos AS place FROM read_parquet([{listed(paths)}])"


def placed_rows(paths: Iterable[str]) -> str:
    """The query for every row of files, with its `file`, its `place` there, and whether it is `gone`: in `deleted`."""
    return f"""
        SELECT r.*, d.file IS NOT NULL AS gone FROM (
            SELECT * EXCLUDE (filename, file_row_number), parse_filename(filename) AS file, file_row_number AS place
            FROM read_parquet([{listed(paths)}], hive_partitioning = false, union_by_name = true,
                filename = true, file_row_number = true)
        ) AS r
        LEFT JOIN deleted AS d ON d.file = r.file AND d.place = r.place
    """


def _rescue(source: duckdb.DuckDBPyConnection, rebuilt: Store | None, name: str, paths: list[Path]) -> int:
    """Copy the rows of a table, or only count them.

    A row that was written or merged twice is one row, and gone everywhere when it was deleted from one file.
    """
    keys = ["task_id"] if name == SECRETS else list(contract_of(name).keys)
    same = ", ".join(quoted_name(key) for key in (*keys, "batch_id"))
    rows = (
        f"SELECT * FROM ({placed_rows(map(str, paths))}) QUALIFY NOT bool_or(gone) OVER (PARTITION BY {same})"
        f" AND row_number() OVER (PARTITION BY {same} ORDER BY written_at DESC, file DESC, place DESC) = 1"
    )
    if rebuilt is None:
        return int(source.execute(f"SELECT count(*) FROM ({rows})").fetchall()[0][0])
    found = {row[0] for row in source.execute(f"DESCRIBE {rows}").fetchall()}
    wanted = [row["column_name"] for row in rebuilt.rows(f"DESCRIBE {name}")]
    columns = ", ".join(quoted_name(column) for column in wanted if column in found)
    reader = source.execute(f"SELECT {columns} FROM ({rows}) ORDER BY written_at, file, place").to_arrow_reader(CHUNK)
    return sum(rebuilt.copy_in(name, pa.Table.from_batches([batch])) for batch in reader)


def _written(tables: list[str]) -> str:
    """The query that says, from the rows of `tables`, which writes there were."""
    rows = " UNION ALL ".join(f"SELECT batch_id, run_id, written_at FROM {name}" for name in tables)
    return (
        f"SELECT batch_id AS batch, '{BATCHES}' AS purpose, count(*) AS n_rows, min(run_id) AS run_id, batch_id,"
        f" min(written_at) AS written_at FROM ({rows}) GROUP BY batch_id ORDER BY min(written_at), batch_id"
    )


def listed(paths: Iterable[str]) -> str:
    """Paths as the inside of a SQL list."""
    return ", ".join(f"'{quoted_text(path)}'" for path in paths)
