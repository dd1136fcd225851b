"""What handing a batch to a worker costs beside the evidence in it, by kind of worker, and that all gather the same.

    python benchmarks/task_runners.py --json
    python benchmarks/task_runners.py --json --kinds threads processes ray

`hand_out_cpu_ms` is the asking process's CPU time for one batch of nothing, `batch_cpu_s` that of the evidence in the
smallest batch that is handed out, `overhead_share` the one over the other; `worker_start_cpu_s` is paid once a run.
`same_accepted` says that each kind's evidence admits the tasks that one process admits, bit for bit. Ray needs the
extra `ray`; a kind that is not installed is left out and named.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from flows.settings import Settings, prepared

N_EMPTY = 40
FAMILIES = ("chain", "fractions")


def nothing(batch: int) -> int:
    """A batch without work."""
    return batch


def cpu_of(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds of this process over one call, and what it gave."""
    start = time.process_time()
    found = work()
    return time.process_time() - start, found


def rows_of(batches: Any) -> list[str]:
    """Everything that a synthesis decided, but for what it cost."""
    kinds = ("attempt_id", "outcome", "reason", "task_id", "status", "check", "evidence")
    return [repr([getattr(row, kind, None) for kind in kinds]) for batch in batches for row in batch.records]


def measure(home: Path, kinds: list[str], n: int, workers: int) -> dict[str, Any]:
    """The figures of each kind of worker."""
    from prefect import flow, task
    from prefect.cache_policies import NO_CACHE

    from flows.crew import crew
    from flows.spread import CHEAPER, SMALLEST, examine_batch, spread
    from flows.steps.synthesis import requests_for
    from synth.graders import Judge
    from synth.pipeline import synthesize

    empty = task(name="nothing", cache_policy=NO_CACHE, persist_result=False)(nothing)
    requests = requests_for(FAMILIES, n=n, seed=5)
    small = tuple(requests_for(FAMILIES[:1], n=CHEAPER * SMALLEST, seed=6))
    batch_s, _ = cpu_of(lambda: examine_batch(small))
    with Judge(workers=1) as judge:
        plain = rows_of(synthesize(requests, campaign_id="c", judge=judge))
    found: dict[str, Any] = {"batch_cpu_s": round(batch_s, 3), "n_attempts": sum(one.n for one in requests)}
    for kind in kinds:
        settings = Settings(home=home, task_runner=kind, workers=workers)

        @flow(name=f"by {kind}", persist_result=False)
        def by_kind(settings: Settings = settings) -> dict[str, Any]:
            start, stack = time.process_time(), range(N_EMPTY)
            with crew(settings, empty, stack, name=str) as take:
                take(0)
                started = time.process_time() - start
                spent, _ = cpu_of(lambda: [take(i) for i in stack[1:]])
            with Judge(workers=1) as judge, spread(settings, requests) as ahead:
                same = rows_of(synthesize(requests, campaign_id="c", judge=judge, ahead=ahead)) == plain
            each = spent / (N_EMPTY - 1)
            return {
                "hand_out_cpu_ms": round(1000 * each, 1),
                "overhead_share": round(each / batch_s, 4),
                "worker_start_cpu_s": round(started, 2),
                "same_accepted": same,
            }

        found[kind] = by_kind()
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kinds", nargs="+", default=["threads", "processes", "ray"])
    parser.add_argument("--n", type=int, default=600, help="attempts a family")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    missing = [kind for kind in given.kinds if kind == "ray" and importlib.util.find_spec("prefect_ray") is None]
    here = str(Path(__file__).parent)
    os.environ["PYTHONPATH"] = os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])  # workers import this file
    with tempfile.TemporaryDirectory() as folder:
        prepared(Path(folder))
        import task_runners

        kinds = [kind for kind in given.kinds if kind not in missing]
        found = task_runners.measure(Path(folder), kinds, given.n, given.workers)
    found["left_out"] = missing
    for name, value in {} if given.json else found.items():
        print(f"{name:16} {value}")
    if given.json:
        print(json.dumps(found))


if __name__ == "__main__":
    main()
