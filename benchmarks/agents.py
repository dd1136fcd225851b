"""Cost of agent tasks: making validated ones, grading a patch, a tool call, many episodes in flight, a blind search.

    python benchmarks/agents.py --json             a minute of CPU on two cores
    python benchmarks/agents.py --json --n 500     more attempts

The last line is one JSON object. CPU counts this process, the sandbox and what runs in it; `tasks_per_s_on_2_cores` is
two CPU seconds divided by the CPU seconds of one validated task, refused attempts included.
"""

from __future__ import annotations

import argparse
import json
import resource
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from synth.environments import Budget, Episode
from synth.environments.makers import MAKERS
from synth.environments.repository import Repository, difference
from synth.environments.repository.grading import files_of, grade
from synth.environments.repository.searching import Searcher
from synth.environments.running import called, play_all
from synth.graders import Judge
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from synth.proposals import Request
from synth.sandbox import Pool
from warehouse.records import Task

MAKER = MAKERS.get("repository")
LARGE = Budget(calls=10_000, tokens=10**9, seconds=10**6)


def cpu_s() -> float:
    """CPU seconds of this process and of every child that has been waited for."""
    both = (resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in both)


def made(n: int) -> tuple[list[Task], Counter[str], float]:
    """The accepted tasks of `n` attempts over all levels, why others were refused, and CPU seconds in all."""
    began, tasks, refused = cpu_s(), list[Task](), Counter[str]()
    with Judge(workers=2) as judge:
        for level in MAKER.levels:
            admission = Admission("bench", judge, Novelty(), checks=MAKER.checks(judge.pool))
            request = Request(MAKER.name, level, n // len(MAKER.levels), 7)
            for batch in admit(MAKER.made(request, judge.pool), MAKER.generator, admission):
                tasks += batch.accepted
                refused.update(batch.rejected)
    return tasks, refused, cpu_s() - began


def verdict_cpu_ms(task: Task, n: int) -> float:
    """CPU milliseconds to grade one right patch, the start of the pool left out."""

    def spent(times: int) -> float:
        began = cpu_s()
        with Pool(workers=1) as pool:
            for _ in range(times):
                assert grade(task, task.reference or "", pool).reward == 1.0
        return cpu_s() - began

    few, many = spent(10), spent(10 + n)
    return (many - few) / n * 1000


def call_cpu_ms(task: Task, n: int) -> dict[str, float]:
    """CPU milliseconds of one call beside its work: of `read_file`, of a refused one, and what `run_tests` adds."""

    def each(step: Callable[[], object]) -> float:
        step()
        began = time.process_time()
        for _ in range(n):
            step()
        return (time.process_time() - began) / n * 1000

    path = next(path for path in files_of(task) if path.endswith(".py"))
    with Pool(workers=1) as pool:
        episode = Episode(Repository(pool), task, LARGE, time.monotonic)
        episode.reset()
        bare = Repository(pool)
        bare.reset(task)
        read = each(lambda: episode.step(called("read_file", path=path))) - each(lambda: bare.read_file(path))
        refused = each(lambda: episode.step('{"name": "read_file", "arguments": {"path": 3'))
        tests = each(lambda: episode.step(called("run_tests"))) - each(lambda: bare.run_tests())
    return {"read_file": round(read, 3), "refused": round(refused, 3), "run_tests": round(tests, 3)}


def in_flight(tasks: list[Task], n: int) -> dict[str, float]:
    """Memory that `n` episodes in flight take, after a few calls each, in MiB: this process's growth."""

    def resident() -> float:
        return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize() / 2**20

    before = resident()
    with Pool(workers=2) as pool:
        episodes = [Episode(Repository(pool), tasks[i % len(tasks)], LARGE, time.monotonic) for i in range(n)]
        for episode in episodes:
            episode.reset()
        for step in (called("list_files"), called("search", text="def "), called("run_tests")):
            for episode in episodes:
                episode.step(step)
    return {"episodes": n, "mib": round(resident() - before, 1), "mib_in_all": round(resident(), 1)}


def searched(tasks: list[Task], calls: int) -> dict[str, object]:
    """What blind search solves within a budget of calls, by level, and how often it fits visible tests only."""
    with Pool(workers=2) as pool:
        played = play_all(tasks, lambda task: Searcher(), pool, budget=Budget(calls=calls), clock=time.monotonic)
    by_level: dict[int, list[bool]] = {}
    for one in played:
        by_level.setdefault(one.task.level, []).append(one.passed)
    fitted = [one for one in played if one.submission is not None and not one.passed]
    return {
        "calls": calls,
        "n": len(played),
        "solve_rate": round(sum(one.passed for one in played) / len(played), 3),
        "by_level": {level: round(sum(rows) / len(rows), 3) for level, rows in sorted(by_level.items())},
        "visible_only_rate": round(len(fitted) / len(played), 3),
        "mean_calls": round(sum(one.n_calls for one in played) / len(played), 1),
    }


def main() -> None:
    """Prints the figures, one JSON object last."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true", help="nothing but the JSON object")
    parser.add_argument("--n", type=int, default=200, help="attempts")
    parser.add_argument("--calls", type=int, default=60, help="budget of the blind search")
    options = parser.parse_args()
    tasks, refused, spent = made(options.n)
    eight = min(tasks, key=lambda task: abs(len(files_of(task)) - 8))
    assert difference(files_of(eight), files_of(eight)) == ""
    figures: dict[str, object] = {
        "n_in": options.n,
        "n_out": len(tasks),
        "rejected": dict(refused),
        "cpu_ms_per_validated_task": round(spent / len(tasks) * 1000, 1),
        "tasks_per_s_on_2_cores": round(2 * len(tasks) / spent, 2),
        "verdict_files": len(files_of(eight)),
        "verdict_cpu_ms": round(verdict_cpu_ms(eight, 100), 2),
        "call_cpu_ms": call_cpu_ms(eight, 100),
        "in_flight": in_flight(tasks, 200),
        "blind_search": searched(tasks[:: max(1, len(tasks) // 40)], options.calls),
    }
    if not options.json:
        for name, value in figures.items():
            print(f"{name:28} {value}")
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
