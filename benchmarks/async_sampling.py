"""What sampling beside the trainer gains when grading is slow: steps an hour against the synchronous path.

    python benchmarks/async_sampling.py --json [--steps 40] [--rounds 2] [--prompts 8]

Both paths train the same warm-started pocket policy on the same tasks, `--prompts` x 8 completions a step, with one
grader: half a second a completion, 128 at once. The asynchronous path lets rollouts be two optimizer steps old. Rounds
alternate, and the first `SKIPPED` steps of each are left out, the start of the sampling process with them. The figures
are wall seconds, for waiting is what is saved: run it on a machine with two idle cores.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median

from pocket_levels import measure, tasks_of
from quiet import quiet

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from curriculum import schedulers
from curriculum.estimates import compare, pass_at_k
from curriculum.pool import pool_of
from synth.graders import Judge, Judged
from trainer import policies
from trainer.config import GuardConfig, SamplingConfig, StageConfig, TrainerConfig, WarmStartConfig
from trainer.rewards import JudgeLike
from trainer.sft import clean_pairs, warm_start
from trainer.stagefile import StageFile
from trainer.training import Stage
from warehouse.records import Split, Task

FAMILIES = ["rev", "sort", "inc"]
SECONDS, AT_ONCE, SKIPPED = 0.5, 128, 5


class SlowJudge:
    """A judge that takes half a second a completion and works on 128 at once, from any thread."""

    def __init__(self, judge: Judge) -> None:
        self._judge, self._free, self._taking = judge, threading.Semaphore(AT_ONCE), threading.Lock()

    def judge(
        self, tasks: Sequence[Task], completions: Sequence[str], *, truncated: Sequence[bool] | None = None
    ) -> list[Judged]:
        for start in range(0, len(tasks), AT_ONCE):
            n = min(AT_ONCE, len(tasks) - start)
            with self._taking:
                for _ in range(n):
                    self._free.acquire()
            time.sleep(SECONDS)
            self._free.release(n)
        return self._judge.judge(tasks, completions, truncated=truncated)


@contextmanager
def slow_judge() -> Iterator[JudgeLike]:
    with Judge(workers=1) as judge:
        yield SlowJudge(judge)


def train(home: Path, tasks: list[Task], args: argparse.Namespace, name: str, staleness: int) -> tuple[float, Path]:
    """Seconds a step, and the last checkpoint."""
    config = TrainerConfig(
        stage=StageConfig(n_steps=args.steps, checkpoint_every=args.steps, prompts_per_step=args.prompts),
        sampling=SamplingConfig(staleness=staleness), guard=GuardConfig(canary_tasks=0),
    )  # fmt: skip
    file = StageFile(home=str(home), run_id="bench", stage_id=name, snapshot_id=0, policy="warm", scheduler="uniform",
                     trainer=config)  # fmt: skip
    ends: list[float] = []
    ages: list[float] = []

    def note(_: int, logs: dict) -> None:
        ends.append(time.perf_counter())
        ages.append(logs.get("sampling/age/mean", 0.0))

    scheduler = schedulers.get("uniform")(pool_of(tasks), {}, 0)
    with slow_judge() as judge:
        stage = Stage(file, policy=policies.load("warm", home), tasks=tasks, scheduler=scheduler, judge=judge,
                      progress=note, make_judge=slow_judge)  # fmt: skip
        made = stage.train()
    seconds = (ends[-1] - ends[SKIPPED]) / (len(ends) - 1 - SKIPPED)
    dropped = stage.rollouts.n_dropped if stage.rollouts else 0
    told = f"{name}: {seconds:.3f} s a step, mean age {sum(ages) / len(ages):.2f}, {dropped} groups dropped"
    print(told, file=sys.stderr, flush=True)
    return seconds, made.checkpoint.folder


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--steps", type=int, default=40)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--prompts", type=int, default=8)
    args = parser.parse_args()
    quiet()
    tasks, heldout = tasks_of(FAMILIES, Split.TRAIN, 60, 11), tasks_of(FAMILIES, Split.HELDOUT, 8, 7)
    sync, beside, rates = [], [], {}
    with tempfile.TemporaryDirectory() as folder:
        home, config = Path(folder), WarmStartConfig(n_steps=150)
        pairs = clean_pairs(FAMILIES, config, seed=0)
        policies.save(warm_start(policies.fresh_pocket(0), pairs, config, seed=0).policy, home / "warm")
        for number in range(args.rounds):
            seconds, in_step = train(home, tasks, args, f"sync{number}", 0)
            sync.append(seconds)
            seconds, aside = train(home, tasks, args, f"async{number}", 2)
            beside.append(seconds)
        with Judge(workers=1) as judge:
            for name, path in (("start", home / "warm"), ("synchronous", in_step), ("asynchronous", aside)):
                found = measure(policies.load(str(path)), heldout, judge)
                rates[name] = pass_at_k([found[t.task_id]["n"] for t in heldout],
                                        [found[t.task_id]["c"] for t in heldout], 1)  # fmt: skip
    change = compare(rates["synchronous"], rates["asynchronous"], [task.arm for task in heldout])
    result = {
        "steps_per_hour_over_synchronous": round(median(a / b for a, b in zip(sync, beside, strict=True)), 3),
        "steps_per_hour": {"synchronous": round(3600 / median(sync)), "asynchronous": round(3600 / median(beside))},
        "pass@1": {name: round(float(values.mean()), 4) for name, values in rates.items()},
        "pass@1_asynchronous_minus_synchronous": [round(x, 4) for x in (change.difference, change.low, change.high)],
        "prompts": args.prompts, "steps": args.steps, "staleness": 2,
    }  # fmt: skip
    print(json.dumps(result))


if __name__ == "__main__":
    main()
