from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from postgres_server import binaries, server

from warehouse.home import Home
from warehouse.store import Store
from warehouse.upkeep import check, clean

WRITERS = Path(__file__).parent / "writers.py"
ROOT = Path(__file__).parents[2]


def _start(kind: str, home: Path, n: int, who: int, **extra: str) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), **extra}
    command = [sys.executable, str(WRITERS), kind, str(home), str(n), str(who)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)


def _finish(processes: list[subprocess.Popen[str]], timeout: float = 500) -> list[str]:
    outs = []
    for process in processes:
        out, err = process.communicate(timeout=timeout)
        assert process.returncode == 0, err
        outs.append(out)
    return outs


def _nothing_lost_nothing_doubled(store: Store, n: int, writers: int) -> None:
    n_batches = n * (1 + writers)
    told = store.rows("SELECT count(*) AS n, count(DISTINCT batch) AS d, sum(n_rows)::BIGINT AS r FROM batches")[0]
    assert told == {"n": n_batches, "d": n_batches, "r": 2 * n_batches}
    for table in ("tasks", "task_status"):
        told = store.rows(f"SELECT count(batch_id) AS n, count(DISTINCT task_id) AS d FROM {table}")[0]
        assert told == {"n": n_batches, "d": n_batches}, table
    assert check(store) == []


def test_writers_that_share_batches_lose_and_double_nothing(tmp_path: Path) -> None:
    _race(tmp_path / "home", n=4)


@pytest.mark.slow
def test_many_writers_that_share_batches_lose_and_double_nothing(tmp_path: Path) -> None:
    _race(tmp_path / "home", n=50)


def _race(home: Path, n: int) -> None:
    Store.open(home).close()
    _finish([_start("write", home, n, who) for who in range(4)] + [_start("read", home, n, who) for who in range(2)])
    with Store.open(home) as store:
        _nothing_lost_nothing_doubled(store, n, writers=4)


def test_four_processes_create_one_home_at_once(tmp_path: Path) -> None:
    _finish([_start("create", tmp_path / "home", 1, who) for who in range(4)])
    with Store.open(tmp_path / "home") as store:
        assert store.rows("SELECT count(*) AS n FROM tasks") == [{"n": 4}]
        assert store.rows("SELECT count(*) AS n FROM schema_version WHERE kind = 'schema'") == [{"n": 1}]


@pytest.mark.parametrize("n_kills", [4, pytest.param(50, marks=pytest.mark.slow)])
def test_a_killed_writer_leaves_every_acknowledged_batch_and_no_half_one(tmp_path: Path, n_kills: int) -> None:
    home = tmp_path / "home"
    Store.open(home).close()
    chance, acknowledged = random.Random(7), set()
    for _ in range(n_kills):
        process = _start("write", home, 1000, 0)
        assert process.stdout is not None
        for _line in range(chance.randint(1, 3)):
            acknowledged.add(process.stdout.readline().strip())
        time.sleep(chance.random() * 0.1)
        process.send_signal(signal.SIGKILL)
        out, _err = process.communicate(timeout=60)
        acknowledged |= {line for line in out.splitlines() if line.startswith("own-")}
    with Store.open(home) as store:
        stored = {r["batch"] for r in store.rows("SELECT batch FROM batches")}
        assert acknowledged - {""} <= stored
        halves = store.rows(
            "SELECT b.batch FROM batches b LEFT JOIN (SELECT batch_id, count(*) AS n FROM tasks GROUP BY 1) t"
            " ON t.batch_id = b.batch LEFT JOIN (SELECT batch_id, count(*) AS n FROM task_status GROUP BY 1) s"
            " ON s.batch_id = b.batch WHERE t.n IS DISTINCT FROM 1 OR s.n IS DISTINCT FROM 1"
        )
        assert halves == []
        assert store.rows("SELECT count(*) AS n FROM tasks")[0]["n"] == len(stored)
        assert check(store) == []
        clean(store)


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    bin_ = binaries()
    if bin_ is None:
        pytest.skip("no PostgreSQL server here: install the package postgresql")
    with server(bin_) as url:
        yield f"{url}/postgres"


@pytest.mark.parametrize("n", [3, pytest.param(25, marks=pytest.mark.slow)])
def test_writers_on_different_machines_share_one_postgres_catalog(postgres: str, tmp_path: Path, n: int) -> None:
    """Homes of their own, so that no file lock helps: only the catalog's isolation and the retries do."""
    database = f"lake{n}"
    binary = binaries()
    assert binary is not None
    subprocess.run([binary / "psql", postgres, "-qc", f"CREATE DATABASE {database}"], check=True)
    url, data = postgres.rsplit("/", 1)[0] + f"/{database}", tmp_path / "data"
    extra = {"CATALOG_URL": url, "DATA_URL": str(data)}
    _finish([_start("create", tmp_path / f"machine{who}", 1, 10_000 + who, **extra) for who in range(2)])
    writers = [_start("write", tmp_path / f"machine{who}", n, who, **extra) for who in range(4)]
    _finish([*writers, _start("read", tmp_path / "machine0", n, 0, **extra)])
    with Store.open(Home.at(tmp_path / "machine0", catalog_url=url, data_url=str(data))) as store:
        told = store.rows("SELECT count(*) AS n, count(DISTINCT batch) AS d FROM batches")[0]
        assert told == {"n": 5 * n + 2, "d": 5 * n + 2}
        told = store.rows("SELECT count(batch_id) AS n, count(DISTINCT task_id) AS d FROM tasks")[0]
        assert told == {"n": 5 * n + 2, "d": 5 * n + 2}
        assert check(store) == []
