"""How long do rewards take? 128 code completions judged, and graded by the default stack, in one call.

    python benchmarks/rewards_speed.py --json [--rounds 7] [--workers 2]

Right and wrong completions of two code families, all distinct, over a sandbox that is already warm. Wall seconds, best
and median of the rounds, and CPU seconds of this process and its children a round.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from statistics import median

import psutil
from pocket_levels import tasks_of

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from synth.graders import Judge, Stack, default_config
from trainer.rewards import TaskReward
from warehouse.records import Judgement, Split

FAMILIES, N = ["agg", "mix"], 128


def cpu_s() -> float:
    """CPU seconds of this process and of the living children that judge."""
    own = psutil.Process()
    spent = 0.0
    for process in (own, *own.children(recursive=True)):
        try:
            times = process.cpu_times()
        except psutil.NoSuchProcess:
            continue
        spent += times.user + times.system + times.children_user + times.children_system
    return spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    tasks = [task for task in tasks_of(FAMILIES, Split.TRAIN, 60, 11) if task.reference is not None]
    asked = [tasks[number % len(tasks)] for number in range(N)]
    pairs = [
        (task, f"{task.reference}{' ' * (number // len(tasks))}{' + 1' if number % 2 else ''}")
        for number, task in enumerate(asked)
    ]
    walls, spent, verdicts = [], [], []
    with Judge(workers=args.workers) as judge:
        judge.judge([tasks[0]], [tasks[0].reference or ""])
        for number in range(args.rounds):
            reward = TaskReward([task for task, _ in pairs], judge, Stack(default_config(), judge))
            texts = [text + "\n" * number for _, text in pairs]
            began, before = time.perf_counter(), cpu_s()
            reward(texts, range(N), finished=[True] * N)
            walls.append(time.perf_counter() - began)
            spent.append(cpu_s() - before)
            verdicts = [word.judgement for word in reward.last]
    result = {
        "seconds_for_128_best": round(min(walls), 3), "seconds_for_128_median": round(median(walls), 3),
        "cpu_seconds_for_128": round(median(spent), 3),
        "passed": verdicts.count(Judgement.PASS), "decided": sum(verdict.decided for verdict in verdicts),
    }  # fmt: skip
    print(json.dumps(result))


if __name__ == "__main__":
    main()
