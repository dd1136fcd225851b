"""The warehouse's speed at growing sizes, beside the same latest-row logic on raw Parquet in the same run.

python benchmarks/task_warehouse.py --json
python benchmarks/task_warehouse.py --json --tasks 10000 100000 1000000 --rollouts-per-task 5 --commits 1000
python benchmarks/task_warehouse.py --json --tasks 10000000 --no-named
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import duckdb
import pyarrow as pa
from warehouse_rows import campaign, ids, rollouts, tasks

from warehouse.named import NamedQuery, named_queries
from warehouse.pool import Pool
from warehouse.records import FinishReason, Judgement, Rollout, RolloutPurpose, Status, StatusChange
from warehouse.store import Store
from warehouse.upkeep import compact

CHUNK = 1_000_000
RAW_STATUS = "SELECT task_id, max_by(status, place) AS status FROM read_parquet('{}/task_status/*.parquet') GROUP BY 1"
LAKE_STATUS = "SELECT task_id, status FROM current_status"
RAW_RATE = (
    "SELECT task_id, policy_id, count(*) FILTER (judgement NOT IN ('INFRA', 'UNDECIDED')) AS n,"
    " count(*) FILTER (judgement = 'PASS') AS c FROM read_parquet('{}/rollouts/*.parquet') GROUP BY 1, 2"
)
LAKE_RATE = "SELECT task_id, policy_id, n, c FROM pass_rate"


def timed(work: Callable[[], object], repeats: int = 3) -> float:
    """The median of a few runs, s."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        work()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def wall_and_cpu(work: Callable[[], object]) -> tuple[float, float]:
    """One run: seconds of wall time, and of CPU time over all threads, which a busy machine disturbs less."""
    start, cpu_start = time.perf_counter(), time.process_time()
    work()
    return time.perf_counter() - start, time.process_time() - cpu_start


def add(told: dict[str, object], **figures: object) -> None:
    """Keep the figures, and show them on the error stream: the largest sizes take a quarter of an hour."""
    told.update(figures)
    print(json.dumps(figures), file=sys.stderr, flush=True)


def fill(store: Store, n_tasks: int, per_task: int) -> dict[str, float]:
    """Load in bulk, checks included: rows a second of wall and of CPU time, without the time to make the rows."""
    store.commit(campaign(n_tasks), batch="campaign", purpose="campaign", run="bench")
    n_rows, spent, cpu = 0, 0.0, 0.0
    n = n_tasks * per_task
    jobs: list[Callable[[], dict[str, pa.Table]]] = []
    jobs += [partial(tasks, low, min(n_tasks, low + CHUNK)) for low in range(0, n_tasks, CHUNK)]
    jobs += [partial(rollouts, low, min(n, low + CHUNK), per_task) for low in range(0, n, CHUNK)]
    for number, job in enumerate(jobs):
        made = job()
        start, cpu_start = time.perf_counter(), time.process_time()
        n_rows += store.commit_tables(made, batch=f"bulk-{number}", purpose="bulk", run="bench").n_rows
        spent += time.perf_counter() - start
        cpu += time.process_time() - cpu_start
    return {"bulk_rows_per_s": n_rows / spent, "bulk_rows_per_cpu_s": n_rows / cpu}


def small_commits(store: Store, n_commits: int, n_tasks: int) -> dict[str, float]:
    """Commits of 128 rollouts, one after the other: milliseconds of the first and the last tenth."""
    known = [r["task_id"] for r in store.rows("SELECT task_id FROM tasks LIMIT 128")]
    times, cpu_times = [], []
    for i in range(n_commits):
        rows = [
            Rollout(
                rollout_id=f"small-{i}-{j}",
                task_id=known[j % len(known)],
                policy_id="p0",
                purpose=RolloutPurpose.TRAIN,
                step=i,
                sample=j % 8,
                completion="abcdef",
                n_tokens=6,
                finish_reason=FinishReason.STOP,
                judgement=Judgement.PASS if j % 3 else Judgement.WRONG,
                reward=1.0 if j % 3 else 0.0,
            )
            for j in range(128)
        ]
        start, cpu_start = time.perf_counter(), time.process_time()
        store.commit(rows, batch=f"small-{i}", purpose="step", run="bench")
        times.append(time.perf_counter() - start)
        cpu_times.append(time.process_time() - cpu_start)
    tenth = max(1, n_commits // 10)
    return {
        "commit_ms_first": 1000 * statistics.median(times[:tenth]),
        "commit_ms_last": 1000 * statistics.median(times[-tenth:]),
        "commit_cpu_ms_last": 1000 * statistics.median(cpu_times[-tenth:]),
    }


def raw_copy(store: Store, folder: Path) -> None:
    """The same rows as plain Parquet, with the order of writing in `place`."""
    with store.reading() as connection:
        for table in ("task_status", "rollouts"):
            (folder / table).mkdir(parents=True)
            connection.execute(f"COPY (SELECT *, rowid AS place FROM {table}) TO '{folder}/{table}/0.parquet'")


def answered(connection: duckdb.DuckDBPyConnection, sql: str) -> tuple[float, object]:
    """How long a query takes, s, and a digest of its rows."""
    digest = f"SELECT count(*), sum(hash(t) % 1000003) FROM ({sql}) AS t"
    seconds = timed(lambda: connection.execute(digest).fetchall())
    return seconds, connection.execute(digest).fetchall()


def answer_for_nobody(connection: duckdb.DuckDBPyConnection, sql: str) -> None:
    """The same query for a task that is not there: what every query costs, whatever the size."""
    connection.execute(f"SELECT count(*) FROM ({sql}) WHERE task_id = ''").fetchall()


def ask(store: Store, query: NamedQuery) -> pa.Table:
    """A named query's answer, with the one policy, or 0, for parameters that must be given."""
    needed = {"step": "0", "stage": "s1", "after": "p1", "policy_b": "p1"}
    given = {n: needed.get(n, "p0") for n, default in query.params.items() if default is None}
    return store.named(query.name, **given)


def measure(n_tasks: int, per_task: int, n_commits: int, memory_limit: str, *, with_named: bool) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        with Store.open(root / "home", memory_limit=memory_limit) as store:
            told: dict[str, object] = {}
            add(told, n_tasks=n_tasks, n_rollouts=n_tasks * per_task)
            add(told, **fill(store, n_tasks, per_task))
            retired = [StatusChange(task_id=t, status=Status.RETIRED, reason="x") for t in ids(0, 10, "t").to_pylist()]
            store.commit(retired, batch="retired", purpose="x", run="bench")
            add(told, **small_commits(store, n_commits, n_tasks))
            start = time.perf_counter()
            compact(store)
            add(told, compact_s=time.perf_counter() - start)
            start = time.perf_counter()
            pool = Pool(store, policy_id="p0")
            add(told, pool_s=time.perf_counter() - start, n_pool=len(pool))
            add(told, draw_256_s=timed(lambda: pool.draw(256, seed=1)))
            pool.close()
            raw_copy(store, root / "raw")
            with duckdb.connect() as raw, store.reading() as lake:
                raw.execute(f"SET memory_limit = '{memory_limit}'")
                for name, ours, theirs in (("status", LAKE_STATUS, RAW_STATUS), ("pass_rate", LAKE_RATE, RAW_RATE)):
                    a, rows = answered(lake, ours)
                    b, other = answered(raw, theirs.format(root / "raw"))
                    add(told, **{f"{name}_s": a, f"{name}_over_raw_parquet": a / b, f"{name}_equal": rows == other})
                    fixed = timed(partial(answer_for_nobody, lake, ours))
                    beyond = max(0.0, a - fixed) / b
                    add(told, **{f"{name}_fixed_s": fixed, f"{name}_beyond_fixed_over_raw_parquet": beyond})
            asked = named_queries() if with_named else {}
            named = {name: wall_and_cpu(partial(ask, store, query)) for name, query in asked.items()}
            for place, what in enumerate(("s", "cpu_s") if named else ()):
                slowest = max(named, key=lambda name: named[name][place])
                add(told, **{f"slowest_named_by_{what}": slowest, f"slowest_named_{what}": named[slowest][place]})
                add(told, **{f"named_{what}": {name: seconds[place] for name, seconds in named.items()}})
        return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--tasks", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--rollouts-per-task", type=int, default=5)
    parser.add_argument("--commits", type=int, default=100)
    parser.add_argument("--memory-limit", default="4GB")
    parser.add_argument("--no-named", action="store_true", help="leave the named queries out")
    parser.add_argument("--folder", type=Path, help="where the warehouses are made and deleted again")
    asked = parser.parse_args()
    tempfile.tempdir = str(asked.folder) if asked.folder else None
    curve = [
        measure(n, asked.rollouts_per_task, asked.commits, asked.memory_limit, with_named=not asked.no_named)
        for n in asked.tasks
    ]
    last = curve[-1]
    told = {
        "benchmark": "warehouse",
        "curve": curve,
        "pass_rate_over_raw_parquet": last["pass_rate_over_raw_parquet"],
        "status_over_raw_parquet": last["status_over_raw_parquet"],
        "commit_last_over_first": float(str(last["commit_ms_last"])) / float(str(last["commit_ms_first"])),
    }
    print(json.dumps(told if asked.json else {**told, "curve": len(curve)}, indent=None if asked.json else 2))


if __name__ == "__main__":
    main()
