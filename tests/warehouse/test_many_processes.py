from __future__ import annotations

import random
import signal
import time
from pathlib import Path

import pytest
from processes import finish, start

from warehouse.migrations import migrations
from warehouse.store import Store
from warehouse.upkeep import check, clean


def _nothing_lost_nothing_doubled(store: Store, n: int, writers: int) -> None:
    n_batches = n * (1 + writers)
    told = store.rows("SELECT count(*) AS n, count(DISTINCT batch) AS d, sum(n_rows)::BIGINT AS r FROM batches")[0]
    assert told == {"n": n_batches, "d": n_batches, "r": 2 * n_batches}
    for table in ("tasks", "task_status"):
        told = store.rows(f"SELECT count(batch_id) AS n, count(DISTINCT task_id) AS d FROM {table}")[0]
        assert told == {"n": n_batches, "d": n_batches}, table
    assert check(store) == []


def test_writers_that_share_batches_lose_and_double_nothing(tmp_path: Path) -> None:
    _race(tmp_path / "home", n=3)


@pytest.mark.slow
def test_many_writers_that_share_batches_lose_and_double_nothing(tmp_path: Path) -> None:
    _race(tmp_path / "home", n=50)


def _race(home: Path, n: int) -> None:
    Store.open(home).close()
    finish([start("write", home, n, who) for who in range(4)] + [start("read", home, n, who) for who in range(2)])
    with Store.open(home) as store:
        _nothing_lost_nothing_doubled(store, n, writers=4)


def test_four_processes_create_one_home_at_once(tmp_path: Path) -> None:
    finish([start("create", tmp_path / "home", 1, who) for who in range(4)])
    with Store.open(tmp_path / "home") as store:
        assert store.rows("SELECT count(*) AS n FROM tasks") == [{"n": 4}]
        assert store.rows("SELECT count(*) AS n FROM schema_version WHERE kind = 'schema'") == [
            {"n": len(migrations())}
        ]


@pytest.mark.parametrize("n_kills", [2, pytest.param(50, marks=pytest.mark.slow)])
def test_a_killed_writer_leaves_every_acknowledged_batch_and_no_half_one(tmp_path: Path, n_kills: int) -> None:
    home = tmp_path / "home"
    Store.open(home).close()
    chance, acknowledged = random.Random(7), set()
    for _ in range(n_kills):
        process = start("write", home, 1000, 0)
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
