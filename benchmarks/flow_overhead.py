"""What a mapped flow of 50 tasks costs over its work with threads, beside the same work without Prefect.

    python benchmarks/flow_overhead.py --json

Each task works for `--work-ms` of CPU time. `overhead_s` is wall time of the flow less that of the work alone, both
after the server is up; `overhead_cpu_s` the same in CPU time of this process, which neighbours on the machine do not
move. The median of `--repeats` flows.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from flows.settings import prepared

N_TASKS = 50


def work(milliseconds: float) -> int:
    """Spin for so much CPU time of this thread."""
    until, turns = time.thread_time() + milliseconds / 1000, 0
    while time.thread_time() < until:
        turns += 1
    return turns


def timed(run: Callable[[], object]) -> tuple[float, float]:
    """Wall and CPU seconds of one call."""
    wall, cpu = time.perf_counter(), time.process_time()
    run()
    return time.perf_counter() - wall, time.process_time() - cpu


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--work-ms", type=float, default=20.0)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        prepared(Path(folder))
        os.environ.setdefault("PREFECT_LOGGING_TO_API_ENABLED", "false")
        from prefect import flow, task
        from prefect.task_runners import ThreadPoolTaskRunner

        spin = task(name="spin", persist_result=False)(work)

        @flow(name="fifty", task_runner=ThreadPoolTaskRunner(max_workers=given.workers), persist_result=False)
        def fifty(milliseconds: float) -> int:
            return sum(spin.map([milliseconds] * N_TASKS).result())

        def alone() -> None:
            with ThreadPoolExecutor(given.workers) as pool:
                sum(pool.map(work, [given.work_ms] * N_TASKS))

        start, _ = timed(lambda: fifty(0.0))
        rows = [(timed(lambda: fifty(given.work_ms)), timed(alone)) for _ in range(given.repeats)]
    wall = statistics.median(whole[0] - bare[0] for whole, bare in rows)
    cpu = statistics.median(whole[1] - bare[1] for whole, bare in rows)
    found = {
        "n_tasks": N_TASKS,
        "work_s": round(N_TASKS * given.work_ms / 1000, 3),
        "overhead_s": round(wall, 3),
        "overhead_cpu_s": round(cpu, 3),
        "overhead_cpu_ms_per_task": round(1000 * cpu / N_TASKS, 1),
        "first_run_with_server_start_s": round(start, 2),
    }
    for name, value in {} if given.json else found.items():
        print(f"{name:32} {value}")
    if given.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
