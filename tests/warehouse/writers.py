"""One of several processes that write to or read from one warehouse: `python writers.py KIND HOME ...`."""

from __future__ import annotations

import os
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from warehouse_rows import status, task

from warehouse.home import Home
from warehouse.store import Store


def home(root: str) -> Home:
    return Home.at(root, catalog_url=os.environ.get("CATALOG_URL"), data_url=os.environ.get("DATA_URL"))


def write(root: str, n: str, who: str) -> None:
    """Commit batches 0..n-1, which every writer shares, and as many of its own; print each acknowledged one."""
    with Store.open(home(root), threads=1) as store:
        for i in range(int(n)):
            store.commit([task(i), status(i)], batch=f"shared-{i}", purpose="shared", run=who)
            mine = int(n) * (1 + int(who)) + i
            store.commit([task(mine), status(mine)], batch=f"own-{mine}", purpose="own", run=who)
            print(f"own-{mine}", flush=True)


def read(root: str, n: str, _: str) -> None:
    """Look again and again: in every look each batch is there whole or not at all, and nothing goes away."""
    seen = 0
    with Store.open(home(root), read_only=True, threads=1) as store:
        for _i in range(int(n)):
            row = store.rows(
                "SELECT (SELECT count(*) FROM tasks) AS t, (SELECT count(*) FROM task_status) AS s,"
                " (SELECT sum(n_rows)::BIGINT FROM batches) AS b"
            )[0]
            assert row["t"] == row["s"] == (row["b"] or 0) // 2, row
            assert row["t"] >= seen, row
            seen = row["t"]


def create(root: str, _n: str, who: str) -> None:
    """Open, and write one batch."""
    with Store.open(home(root), threads=1) as store:
        store.commit([task(int(who)), status(int(who))], batch=f"b{who}", purpose="first", run=who)


if __name__ == "__main__":
    {"write": write, "read": read, "create": create}[sys.argv[1]](*sys.argv[2:])
