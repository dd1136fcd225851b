"""CPU cost of judging a program, as a ratio to a bare fork of the same interpreter in the same run.

    python benchmarks/sandbox.py --json                     cost, two workers against twice one
    python benchmarks/sandbox.py --json --endurance 100000  growth over that many executions

The last line is one JSON object. `cpu_ms` counts the judge, the zygote and the candidates.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from synth.sandbox import Job, Pool, Test

PROGRAM = "def f(x):\n    return x * x + 7 * x + 3 if x % 3 else x // 2\n"
TESTS = [Test(args=(x,), expected=x * x + 7 * x + 3 if x % 3 else x // 2) for x in (4, 9, 10, -2, 30)]
BARE = """
import os, sys, time
n = int(sys.argv[1])
began = sum(os.times()[:4])
for _ in range(n):
    pid = os.fork()
    if pid == 0:
        os._exit(0)
    os.waitpid(pid, 0)
print((sum(os.times()[:4]) - began) / n * 1000)
"""
FRESH = "import subprocess, sys\nfor _ in range(int(sys.argv[1])):\n    subprocess.run([sys.executable, '-c', ''])\n"


def cpu_s() -> float:
    """CPU seconds of this process and of every child that has been waited for."""
    both = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def judged(n: int, workers: int = 1) -> tuple[float, float]:
    """CPU and wall seconds to judge n programs, the start of the pool included in the first only."""
    began = cpu_s()
    with Pool(workers) as pool:
        pool.verify_many([Job(PROGRAM, TESTS, "f")] * workers * 4)
        start = time.perf_counter()
        results = pool.verify_many([Job(PROGRAM, TESTS, "f")] * n)
        wall = time.perf_counter() - start
    assert all(result.reward == 1.0 for result in results)
    return cpu_s() - began, wall


def cost(n: int) -> dict[str, float]:
    """Cost of one execution of five tests and its ratio to a bare fork, and the speed of two workers."""
    python = getattr(sys, "_base_executable", sys.executable)
    bare = float(subprocess.run([python, "-S", "-c", BARE, str(n)], check=True, capture_output=True).stdout)
    began = cpu_s()
    subprocess.run([python, "-S", "-c", FRESH, "50"], check=True)
    interpreter = (cpu_s() - began) / 50 * 1000
    few, _ = judged(n // 5)
    many, _ = judged(n)
    each = (many - few) / (n - n // 5) * 1000
    one = min(judged(n)[1] for _ in range(3))
    two = min(judged(n, workers=2)[1] for _ in range(3))
    return {
        "cpu_ms": round(each, 3),
        "bare_fork_cpu_ms": round(bare, 3),
        "fresh_interpreter_cpu_ms": round(interpreter, 3),
        "cpu_vs_bare_fork": round(each / bare, 2),
        "cpu_vs_fresh_interpreter": round(each / interpreter, 3),
        "two_workers_vs_twice_one": round(one / two / 2, 3),
        "n": n,
    }


def tree(pid: int) -> list[int]:
    """The process and everything below it."""
    below = []
    for task in os.listdir(f"/proc/{pid}/task"):
        below += Path(f"/proc/{pid}/task/{task}/children").read_text().split()
    return [pid] + [deeper for child in below for deeper in tree(int(child))]


def held() -> dict[str, int]:
    """Memory, processes, descriptors and temporary files held by this process and those below it."""
    processes = tree(os.getpid())
    resident = 0
    for pid in processes:
        rollup = Path(f"/proc/{pid}/smaps_rollup").read_text()
        resident += next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:"))
    return {
        "memory_kb": resident,
        "processes": len(processes),
        "descriptors": sum(len(os.listdir(f"/proc/{pid}/fd")) for pid in processes),
        "temporary_files": sum(name.startswith("gradatim") for name in os.listdir(tempfile.gettempdir())),
        "threads": threading.active_count(),
    }


def endurance(n: int) -> dict[str, object]:
    """What is held after a tenth of n executions and after all of them."""
    batch = 500
    with Pool(workers=2) as pool:
        done = 0
        early: dict[str, int] = {}
        while done < n:
            pool.verify_many([Job(PROGRAM, TESTS, "f")] * min(batch, n - done))
            done += batch
            if not early and done >= n // 10:
                early = held()
        late = held()
    return {"executions": n, "early": early, "late": late, "growth": {name: late[name] - early[name] for name in late}}


def main() -> None:
    """Prints the figures, one JSON object last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="nothing but the JSON object")
    parser.add_argument("--n", type=int, default=1000, help="executions of each measurement")
    parser.add_argument("--endurance", type=int, default=2000, metavar="N", help="executions of the endurance run")
    options = parser.parse_args()
    figures: dict[str, object] = {**cost(options.n), "endurance": endurance(options.endurance)}
    if not options.json:
        for name, value in figures.items():
            print(f"{name:28} {value}")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
