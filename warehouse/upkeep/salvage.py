"""A new home from what is whole of a damaged one."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import nullcontext
from pathlib import Path

import duckdb

from warehouse.contracts import PRIVATE_TABLE, contracts
from warehouse.errors import GradatimError, UserError
from warehouse.home import Home
from warehouse.store import Store
from warehouse.upkeep.check import catalog_findings, check
from warehouse.upkeep.files import Tell, catalog_files, untold
from warehouse.upkeep.rescue import deletions, listed, placed_rows, rescue


def salvage(
    home: Home | Path | str, to: Path | str, *, dry_run: bool = False, tell: Tell = untold
) -> Mapping[str, Mapping[str, int | None]]:
    """Build a new home in `to` from the files that are whole; the damaged home is left as it is.

    Where the catalog itself is gone or broken the files are read without it, as `rescue` does. Returns per table
    `{"n_rows", "n_files_lost", "n_rows_lost"}`. Raises `UserError` when `to` is not empty or lies in the damaged data
    folder. With `dry_run` nothing is built, and `n_rows` is what the catalog says of the whole files.
    """
    place = home if isinstance(home, Home) else Home.at(home)
    target = Home.at(to)
    if target.root.exists() and (not target.root.is_dir() or any(target.root.iterdir())):
        raise UserError(f"{target.root} is not empty; give a new folder")
    if place.local_data and target.root.resolve().is_relative_to(place.local_data.resolve()):
        raise UserError(f"{target.root} lies among the files of {place.root}; give a new folder elsewhere")
    if catalog_findings(place):
        return rescue(place, target, dry_run=dry_run, tell=tell)
    told: dict[str, dict[str, int | None]] = {}
    with Store.open(place, read_only=dry_run) as store:
        broken = {f.path for f in check(store) if f.problem != "no checksum"}
        with nullcontext() if dry_run else Store.open(target) as rebuilt, store.upkeep() as source:
            source.execute("CREATE OR REPLACE TEMP TABLE deleted AS " + deletions(place, source))
            files = catalog_files(source, place)
            names = [*contracts(), f"private.{PRIVATE_TABLE}"]
            for nth, name in enumerate(names, 1):
                mine = [f for f in files if f.table == name and f.current]
                lost, whole = [f for f in mine if f.path in broken], [f for f in mine if f.path not in broken]
                if rebuilt is None:
                    n_rows = sum(f.n_rows for f in whole)
                else:
                    n_rows = _copy(source, rebuilt, name, [place.data_path + f.path for f in whole])
                told[name] = {"n_rows": n_rows, "n_files_lost": len(lost), "n_rows_lost": sum(f.n_rows for f in lost)}
                tell(nth, len(names))
    return told


def _copy(source: duckdb.DuckDBPyConnection, rebuilt: Store, name: str, paths: list[str]) -> int:
    if name == "files":
        return 0
    names = [row[0] for row in source.execute(f"DESCRIBE {name}").fetchall()]
    columns = ", ".join(f'"{column}"' for column in names)
    try:
        if name == "batches":
            rows = source.execute(f"SELECT {columns} FROM {name} ORDER BY rowid").to_arrow_table()
        elif paths:
            # Files of an older schema lack columns that came later: those stay none.
            found = {row[0] for row in source.execute(f"DESCRIBE {placed_rows(paths)}").fetchall()}
            columns = ", ".join(f'"{name}"' for name in names if name in found)
            order = listed(Path(path).name for path in paths)
            places = f"SELECT unnest([{order}]) AS file, unnest(range({len(paths)})) AS nth"
            rows = source.execute(
                f"SELECT {columns} FROM ({placed_rows(paths)}) INNER JOIN ({places}) USING (file)"
                " WHERE NOT gone ORDER BY nth, place"
            ).to_arrow_table()
        else:
            return 0
    except duckdb.Error as error:
        raise GradatimError(f"{name} cannot be salvaged: {error}") from error
    rebuilt.copy_in(name, rows)
    return int(rows.num_rows)
