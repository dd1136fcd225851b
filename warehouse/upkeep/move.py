"""A warehouse to another catalog or another place for its files, row for row."""

from __future__ import annotations

from warehouse.contracts import PRIVATE_TABLE, contracts
from warehouse.errors import GradatimError, UserError
from warehouse.feed import renumber
from warehouse.home import Home
from warehouse.store import Store
from warehouse.upkeep.files import Tell, untold


def move(
    store: Store, *, catalog_url: str | None = None, data_url: str | None = None, tell: Tell = untold
) -> dict[str, int]:
    """Copy every row, in order and with its stamps, to a new catalog and/or data location, and use it from then on.

    The old files are kept. Snapshots start anew: stages keep the numbers they pinned, but cannot be replayed from
    before the move; readers of the change feed go on where they were. Returns rows by table. Raises `UserError` when
    the target already holds rows.
    """
    target = Home(store.home.root, catalog_url, data_url)
    if (catalog_url, data_url) == (None, None) or target == store.home:
        raise UserError("nothing to move: give --to URL of a catalog or of a data location")
    if catalog_url is None and data_url is not None:
        raise UserError("new data location needs a new catalog too: give a postgres:// URL, or copy the home's folder")
    names = [n for n in (*contracts(), f"private.{PRIVATE_TABLE}") if n != "files"]
    copied: dict[str, int] = {}
    with Store.open(target) as new, store.upkeep() as source:
        if any(new.rows(f"SELECT count(*) AS n FROM {name}")[0]["n"] for name in names):
            raise UserError("the target already holds rows; move into an empty database")
        counts = [f"(SELECT count(batch_id) FROM {name})" for name in names]
        total = int(source.execute(f"SELECT {' + '.join(counts)}").fetchall()[0][0])
        for name in names:
            columns = ", ".join(f'"{row[0]}"' for row in source.execute(f"DESCRIBE {name}").fetchall())
            reader = source.execute(f"SELECT {columns} FROM {name} ORDER BY rowid").to_arrow_reader(500_000)
            copied[name] = 0
            for rows in reader:
                copied[name] += new.copy_in(name, rows)
                tell(sum(copied.values()), total)
            found = new.rows(f"SELECT count(batch_id) AS n FROM {name}")[0]["n"]
            if found != copied[name]:
                raise GradatimError(
                    f"{name}: {copied[name]} rows were copied, {found} are there; the old home is unchanged"
                )
        renumber(store, new)
        target.remember()
    return copied
