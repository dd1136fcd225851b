from __future__ import annotations

import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest
from postgres_server import binaries, server
from processes import finish, start
from warehouse_rows import campaign, status, task

from warehouse import people_sql
from warehouse.catalog import libpq
from warehouse.errors import UserError
from warehouse.home import Home
from warehouse.store import Store
from warehouse.upkeep import backup, check, compact, expire, move, purge


@pytest.fixture(scope="module")
def database() -> Iterator[Callable[[], str]]:
    """Makes a new database on a server of our own and gives its URL."""
    bin_ = binaries()
    if bin_ is None:
        pytest.skip("no PostgreSQL server here: install the package postgresql")
    numbers = count()
    with server(bin_) as url:

        def create() -> str:
            name = f"lake{next(numbers)}"
            subprocess.run([bin_ / "psql", f"{url}/postgres", "-qc", f"CREATE DATABASE {name}"], check=True)
            return f"{url}/{name}"

        yield create


def test_a_warehouse_moves_to_postgres_and_works_the_same(
    database: Callable[[], str], store: Store, tmp_path: Path
) -> None:
    store.commit(campaign(), batch="c", purpose="x", run="run1")
    store.commit([status(1, reason="again")], batch="again", purpose="x", run="r")
    answers = {
        name: store.named(name).to_pylist() for name in ("funnel", "buckets", "weak_spots", "duplicate_clusters")
    }
    told = move(store, catalog_url=database(), data_url=str(tmp_path / "bucket"))
    assert told["tasks"] == 12
    with Store.open(store.home.root) as moved:
        assert moved.home.catalog_url is not None
        assert moved.tasks() == store.tasks()
        assert {name: moved.named(name).to_pylist() for name in answers} == answers
        assert not moved.commit([task(1)], batch="again", purpose="x", run="r").new
        before = moved.snapshot()
        assert moved.commit([task(50), status(50)], batch="new", purpose="x", run="r").new
        with moved.at(before) as past:
            assert len(past.tasks()) == 12
        assert compact(moved)["n_files_after"] > 0
        assert purge(moved, "corpus")["tasks"] == 2
        assert check(moved) == []
        with pytest.raises(UserError, match="pg_dump"):
            backup(moved, tmp_path / "backup")
    with pytest.raises(UserError, match="already holds rows"):
        move(store, catalog_url=moved.home.catalog_url, data_url=str(tmp_path / "bucket"))
    rows = people_sql.run(store.home.root, "SELECT count(*) AS n FROM current_tasks").to_pylist()
    assert rows == [{"n": 11}]
    for sql in ("SELECT * FROM private.task_secrets", "SELECT * FROM postgres_query('lake', 'SELECT 1')"):
        with pytest.raises(UserError):
            people_sql.run(store.home.root, sql)


def test_upkeep_waits_for_writers_and_writers_for_upkeep(database: Callable[[], str], tmp_path: Path) -> None:
    """From two machines: homes of their own, one catalog."""
    url, data = database(), str(tmp_path / "data")
    order: list[str] = []
    with (
        Store.open(Home.at(tmp_path / "a", catalog_url=url, data_url=data)) as a,
        Store.open(Home.at(tmp_path / "b", catalog_url=url, data_url=data)) as b,
    ):

        def write() -> None:
            b.commit([task(1)], batch="b", purpose="x", run="r")
            order.append("write")

        with a.upkeep():
            writer = threading.Thread(target=write)
            writer.start()
            time.sleep(1.0)
            order.append("upkeep")
        writer.join(60)
        assert order == ["upkeep", "write"]
        expire(a)


@pytest.mark.parametrize("n", [2, pytest.param(25, marks=pytest.mark.slow)])
def test_writers_on_different_machines_share_one_postgres_catalog(
    database: Callable[[], str], tmp_path: Path, n: int
) -> None:
    """Homes of their own, so that no file lock helps: only the catalog's isolation and the retries do."""
    url, data = database(), tmp_path / "data"
    extra = {"CATALOG_URL": url, "DATA_URL": str(data)}
    finish([start("create", tmp_path / f"machine{who}", 1, 10_000 + who, **extra) for who in range(2)])
    writers = [start("write", tmp_path / f"machine{who}", n, who, **extra) for who in range(4)]
    finish([*writers, start("read", tmp_path / "machine0", n, 0, **extra)])
    with Store.open(Home.at(tmp_path / "machine0", catalog_url=url, data_url=str(data))) as store:
        told = store.rows("SELECT count(*) AS n, count(DISTINCT batch) AS d FROM batches")[0]
        assert told == {"n": 5 * n + 2, "d": 5 * n + 2}
        told = store.rows("SELECT count(batch_id) AS n, count(DISTINCT task_id) AS d FROM tasks")[0]
        assert told == {"n": 5 * n + 2, "d": 5 * n + 2}
        assert check(store) == []


def test_urls_of_catalogs() -> None:
    assert libpq("postgresql://me:p%40ss@db/lake") == "host=db user=me password=p@ss dbname=lake"
    with pytest.raises(UserError, match="catalog URL 'mysql"):
        libpq("mysql://db/lake")
