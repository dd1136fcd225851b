"""The warehouse's speed at growing sizes, beside the same latest-row logic on raw Parquet in the same run.

python benchmarks/task_warehouse.py --json
python benchmarks/task_warehouse.py --json --tasks 10000 100000 1000000 --rollouts-per-task 5 --commits 1000
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

import duckdb
import numpy as np
import pyarrow as pa

from warehouse.named import NamedQuery, named_queries
from warehouse.pool import Pool
from warehouse.records import (
    Domain,
    Evaluation,
    FinishReason,
    Judgement,
    Policy,
    Record,
    Rollout,
    RolloutPurpose,
    RunStatus,
    Stage,
    Status,
    StatusChange,
)
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


def ids(low: int, high: int, letter: str) -> pa.Array:
    """Identities that look like hashes."""
    with duckdb.connect() as connection:
        sql = f"SELECT md5('{letter}' || i) AS id FROM range({low}, {high}) r(i) ORDER BY i"
        return connection.execute(sql).to_arrow_table().column("id").combine_chunks()


def repeated(value: object, n: int, kind: pa.DataType | None = None) -> pa.Array:
    return pa.repeat(pa.scalar(value, kind) if kind is not None else pa.scalar(value), n)


def tasks(low: int, high: int) -> dict[str, pa.Table]:
    n, key, index = high - low, ids(low, high, "t"), np.arange(low, high)
    level = pa.array(index % 8 + 2)
    made = pa.table(
        {
            "task_id": key,
            "domain": repeated(str(Domain.MATH), n),
            "family": pa.array(np.array(["rev", "sort", "inc", "add"])[index % 4]),
            "level": level,
            "params": repeated('{"seed":0}', n),
            "prompt": ids(low, high, "prompt"),
            "answer_kind": repeated("text", n),
            "gold": ids(low, high, "gold"),
            "parents": repeated("[]", n),
            "source": repeated("gradatim", n),
            "split": pa.array(np.where(index % 20 == 0, "heldout", "train")),
            "kind": repeated("verifiable", n),
        }
    )
    status = pa.table({"task_id": key, "status": repeated("accepted", n), "reason": repeated("evidence", n)})
    mean = (index % 9) / 9 * 0.98 + 0.01
    calibration = pa.table(
        {
            "task_id": key,
            "policy_id": repeated("p0", n),
            "arm": repeated("rev/2/gradatim", n),
            "n": repeated(8, n),
            "c": pa.array(index % 9),
            "alpha": pa.array(index % 9 + 0.5),
            "beta": pa.array(8.5 - index % 9),
            "mean": pa.array(mean),
            "low": pa.array(mean * 0.5),
            "high": pa.array(mean * 0.5 + 0.5),
            "p_mixed": pa.array(4 * mean * (1 - mean)),
            "variance": pa.array(mean * (1 - mean)),
            "bucket": pa.array(np.where(index % 9 == 0, "dead", "frontier")),
        }
    )
    attempt = pa.table(
        {
            "attempt_id": ids(low, high, "a"),
            "campaign_id": repeated("c0", n),
            "generator": made["family"],
            "generator_kind": repeated("procedural", n),
            "generator_version": repeated("1", n),
            "generator_lineage": repeated("gradatim", n),
            "seed": repeated(0, n),
            "index": pa.array(index),
            "task_id": key,
            "outcome": repeated("admitted", n),
            "n_tokens": repeated(0, n),
            "cost": repeated(0.01, n),
        }
    )
    checked = {"attempts": attempt, "verdicts": pa.concat_tables([verdicts(key, c) for c in ("gold", "reference")])}
    return {"tasks": made, "task_status": status, "calibrations": calibration, **checked}


def verdicts(key: pa.Array, check: str) -> pa.Table:
    n = len(key)
    return pa.table(
        {
            "task_id": key,
            "check": repeated(check, n),
            "verifier": repeated("synth.math", n),
            "verifier_version": repeated("1.1", n),
            "verifier_lineage": repeated("judge", n),
            "outcome": repeated("pass", n),
            "evidence": repeated("{}", n),
            "cost": repeated(0.0, n),
        }
    )


def rollouts(low: int, high: int, per_task: int) -> dict[str, pa.Table]:
    """Rollouts number `low` to `high`, `per_task` in a row of the same task.

    The last of each task trained stage `s1`, the others are evaluations of the policies p0 and p1 in turn.
    """
    n, index = high - low, np.arange(low, high)
    place, task = index % per_task, index // per_task
    trained = place == per_task - 1
    keys = ids(low // per_task, (high - 1) // per_task + 1, "t")
    passed = (index * 7919) % 13 < 6
    table = pa.table(
        {
            "rollout_id": ids(low, high, "r"),
            "task_id": keys.take(pa.array(index // per_task - low // per_task)),
            "policy_id": pa.array(np.where(trained | (place % 2 == 0), "p0", "p1")),
            "purpose": pa.array(np.where(trained, "train", "eval")),
            "stage_id": pa.array(np.where(trained, "s1", None)),
            "stage_attempt": repeated(0, n),
            "step": pa.array(np.where(trained, task // 64, 0)),
            "slot": pa.array(np.where(trained, task % 64, 0)),
            "sample": pa.array(np.where(trained, 0, place // 2)),
            "completion": ids(low, high, "c"),
            "turns": repeated("[]", n),
            "n_tokens": pa.array(index % 40 + 1),
            "latency_s": repeated(0.0, n),
            "finish_reason": repeated("stop", n),
            "judgement": pa.array(np.where(passed, "PASS", "WRONG")),
            "reward": pa.array(np.where(passed, 1.0, 0.0)),
            "parts": pa.array(np.where(passed, '{"right":1.0}', '{"right":0.0}')),
            "cheats": repeated("[]", n),
            "protocol_hash": pa.array(np.where(trained, None, "h")),
        }
    )
    drawn = task[trained]
    draws = pa.table(
        {
            "stage_id": repeated("s1", len(drawn)),
            "stage_attempt": repeated(0, len(drawn)),
            "step": pa.array(drawn // 64),
            "slot": pa.array(drawn % 64),
            "task_id": table["task_id"].filter(pa.array(trained)),
            "p_mixed": repeated(0.5, len(drawn)),
            "score": repeated(0.5, len(drawn)),
            "reason": repeated("frontier", len(drawn)),
        }
    )
    return {"rollouts": table, "draws": draws}


def campaign(n_tasks: int) -> list[Record]:
    """Two policies, the stage between them, and an evaluation of each."""
    start = Policy(policy_id="p0", name="pocket", lineage="pocket", weights_hash="0", path="p0")
    stage = Stage(
        stage_id="s1",
        campaign_id="c0",
        stage_index=1,
        kind="grpo",
        status=RunStatus.FINISHED,
        snapshot_id=1,
        policy_in="p0",
        policy_out="p1",
        config={},
        code_version="1",
        n_steps=n_tasks // 64 + 1,
    )
    figures = [
        Evaluation(
            eval_id=f"e{index}",
            policy_id=f"p{index}",
            protocol_hash="h",
            campaign_id="c0",
            stage_index=index,
            group="all",
            metric="pass@1",
            value=0.5,
            low=0.4,
            high=0.6,
            n=n_tasks,
            n_samples=2,
        )
        for index in (0, 1)
    ]
    return [start, replace(start, policy_id="p1", parent="p0", stage_id="s1"), stage, *figures]


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


def ask(store: Store, query: NamedQuery) -> pa.Table:
    """A named query's answer, with the one policy, or 0, for parameters that must be given."""
    needed = {"step": "0", "stage": "s1", "after": "p1", "policy_b": "p1"}
    given = {n: needed.get(n, "p0") for n, default in query.params.items() if default is None}
    return store.named(query.name, **given)


def measure(n_tasks: int, per_task: int, n_commits: int, memory_limit: str) -> dict[str, object]:
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary)
        with Store.open(root / "home", memory_limit=memory_limit) as store:
            told: dict[str, object] = {"n_tasks": n_tasks, "n_rollouts": n_tasks * per_task}
            told.update(fill(store, n_tasks, per_task))
            retired = [StatusChange(task_id=t, status=Status.RETIRED, reason="x") for t in ids(0, 10, "t").to_pylist()]
            store.commit(retired, batch="retired", purpose="x", run="bench")
            told |= small_commits(store, n_commits, n_tasks)
            start = time.perf_counter()
            compact(store)
            told["compact_s"] = time.perf_counter() - start
            start = time.perf_counter()
            pool = Pool(store, policy_id="p0", memory_limit=memory_limit)
            told["pool_s"] = time.perf_counter() - start
            told["n_pool"] = len(pool)
            told["draw_256_s"] = timed(lambda: pool.draw(256, seed=1))
            pool.close()
            raw_copy(store, root / "raw")
            with duckdb.connect() as raw, store.reading() as lake:
                raw.execute(f"SET memory_limit = '{memory_limit}'")
                for name, ours, theirs in (("status", LAKE_STATUS, RAW_STATUS), ("pass_rate", LAKE_RATE, RAW_RATE)):
                    a, rows = answered(lake, ours)
                    b, other = answered(raw, theirs.format(root / "raw"))
                    told |= {f"{name}_s": a, f"{name}_over_raw_parquet": a / b, f"{name}_equal": rows == other}
            named = {name: wall_and_cpu(partial(ask, store, query)) for name, query in named_queries().items()}
            for place, what in enumerate(("s", "cpu_s")):
                slowest = max(named, key=lambda name: named[name][place])
                told |= {f"slowest_named_by_{what}": slowest, f"slowest_named_{what}": named[slowest][place]}
                told[f"named_{what}"] = {name: seconds[place] for name, seconds in named.items()}
        return told


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--tasks", type=int, nargs="+", default=[1_000, 10_000, 100_000])
    parser.add_argument("--rollouts-per-task", type=int, default=5)
    parser.add_argument("--commits", type=int, default=100)
    parser.add_argument("--memory-limit", default="4GB")
    asked = parser.parse_args()
    curve = [measure(n, asked.rollouts_per_task, asked.commits, asked.memory_limit) for n in asked.tasks]
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
