"""Rollouts that a scheduler needs on the live pocket policy, against uniform sampling from the same start.

    python benchmarks/curriculum_live.py --json --seeds 0:8 [--schedulers sec,frontier@arm_temperature=0.1]
                                         [--rate 3e-4] [--folder DIR]

Levels laboratory (rev, sort, inc), TRL GRPO, 400 steps of 16 prompts x 8 at the laboratory's learning rate or another,
held-out pass@1 every 10 steps, each family and level with equal weight. A curve is fitted by isotonic regression; the
target is the start plus .8 of what uniform's fitted curve gains; a curve crosses where it first reaches that, the
same rule for all. Schedulers begin with no knowledge: there are no probes and no canaries to count beside the
rollouts. A finished run lies in `--folder` and is not run again; the table holds the seeds that both sides finished.
A curve that never crosses counts as crossing at its end.

What keeps a level is practice in it, and only a group that fails somewhere practises: a run keeps each level's share of
the groups by quarter, and how many of them failed somewhere.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import transformers
from pocket_levels import LEVELS, tasks_of
from pocket_setups import SETUPS
from quiet import quiet
from scipy.stats import t as student
from sklearn.isotonic import IsotonicRegression

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from curriculum import schedulers
from curriculum.estimates import pass_at_k
from curriculum.pool import pool_of
from synth.graders import Judge
from trainer import policies
from trainer.config import GuardConfig, SamplingConfig, StageConfig, TrainerConfig, WarmStartConfig
from trainer.evaluate import sample_and_judge
from trainer.sft import clean_pairs, warm_start
from trainer.spool import STEP
from trainer.stagefile import StageFile
from trainer.training import Stage
from warehouse.records import Judgement, Rollout, RolloutPurpose, Split, Task

STEPS, EVERY, PROMPTS, GROUP = 400, 10, 16, 8
RATE = SETUPS["levels"].learning_rate
SHARE = 0.8
"""Of uniform's fitted gain, what the target asks for."""
LOOKED, ENDS = 4, 16
"""Samples a held-out task at each look, and before and after."""
MASTERED = 0.9
"""pass@1 at the start from which a level is one that can be forgotten."""


class Looks(transformers.TrainerCallback):
    """Measures the policy on the held-out tasks every `EVERY` steps."""

    def __init__(self, policy: policies.LoadedPolicy, heldout: list[Task], judge: Judge) -> None:
        self.policy, self.heldout, self.judge = policy, heldout, judge
        self.curve: list[tuple[int, float]] = []

    def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if state.global_step % EVERY == 0:
            found = arms(self.policy, self.heldout, self.judge, LOOKED, state.global_step)
            self.curve.append((state.global_step, mean(found, "pass@1")))


def arms(policy: policies.LoadedPolicy, tasks: list[Task], judge: Judge, n: int, seed: int) -> dict[str, dict]:
    """pass@1 and, with enough samples, pass@8 of each family and level."""
    rows = sample_and_judge(
        policy, tasks, judge, n=n, sampling=SamplingConfig(), seed=seed, purpose=RolloutPurpose.EVAL, owner="live"
    )
    passed = np.array([row.judgement is Judgement.PASS for row in rows]).reshape(len(tasks), n).sum(1)
    out: dict[str, dict] = {}
    for arm in sorted({task.arm for task in tasks}):
        own = passed[[task.arm == arm for task in tasks]]
        out[arm] = {f"pass@{k}": float(pass_at_k(np.full(len(own), n), own, k).mean()) for k in (1, 8) if k <= n}
    return out


def mean(found: dict[str, dict], metric: str) -> float:
    return float(np.mean([row[metric] for row in found.values()]))


def kept_at(folder: Path, seed: int, scheduler: str, rate: float) -> Path:
    """Where a finished run lies."""
    return folder / str(seed) / f"{scheduler}-{rate:g}.json"


def configured(scheduler: str) -> tuple[str, dict[str, float]]:
    """A scheduler's name, and its settings as `name@key=value@key=value`.

    >>> configured("frontier@floor=0.2")
    ('frontier', {'floor': 0.2})
    """
    name, *settings = scheduler.split("@")
    return name, {key: float(value) for key, value in (setting.split("=") for setting in settings)}


def run(folder: Path, seed: int, scheduler: str, rate: float, judge: Judge) -> dict:
    """One run: its curve, and every level before and after."""
    home = folder / str(seed)
    kept = kept_at(folder, seed, scheduler, rate)
    if kept.is_file():
        return json.loads(kept.read_text())
    name, settings = configured(scheduler)
    config = WarmStartConfig()
    if not (home / "warm" / "config.json").is_file():
        started = warm_start(
            policies.fresh_pocket(seed), clean_pairs(list(LEVELS), config, seed=seed), config, seed=seed
        )
        policies.save(started.policy, home / "warm.draft")
        (home / "warm.draft").rename(home / "warm")
    heldout, train = tasks_of(list(LEVELS), Split.HELDOUT, 50, 7), tasks_of(list(LEVELS), Split.TRAIN, 300, 11)
    policy = policies.load("warm", home)
    before = arms(policy, heldout, judge, ENDS, seed)
    began = time.process_time()
    file = StageFile(
        home=str(home), run_id="bench", stage_id=kept.stem, snapshot_id=0, seed=seed, policy="warm",
        scheduler=name, scheduler_config=settings,
        trainer=TrainerConfig(
            stage=StageConfig(
                n_steps=STEPS, prompts_per_step=PROMPTS, group_size=GROUP, checkpoint_every=STEPS, learning_rate=rate
            ),
            guard=GuardConfig(canary_tasks=0, watch_only=True),
        ),
    )  # fmt: skip
    shutil.rmtree(file.folder, ignore_errors=True)
    looks = Looks(policy, heldout, judge)
    drawn_by = schedulers.get(name)(pool_of(train), settings, seed)
    stage = Stage(file, policy=policy, tasks=train, scheduler=drawn_by, judge=judge, callbacks=[looks])
    stage.train()
    practice = practised(Path(file.spool), {task.task_id: task.arm for task in train})
    shutil.rmtree(file.spool, ignore_errors=True)
    result = {
        "seed": seed, "scheduler": scheduler, "rate": rate, "n_heldout": len(heldout), "n_train": len(train),
        "before": before, "after": arms(policy, heldout, judge, ENDS, seed),
        "curve": [(0, mean(before, "pass@1")), *looks.curve], "practice": practice,
        "cpu_s": round(time.process_time() - began, 1),
    }  # fmt: skip
    kept.write_text(json.dumps(result))
    return result


def practised(spool: Path, arm_of: dict[str, str]) -> dict[str, dict]:
    """Each level's share of the run's groups, by quarter of the run, and how many of its groups failed somewhere."""
    passed: dict[tuple[int, int, str], list[bool]] = defaultdict(list)
    for file in sorted(spool.glob(f"{STEP}*.json")):
        for table, row in json.loads(file.read_text()):
            if table == Rollout.TABLE and row["purpose"] == RolloutPurpose.TRAIN:
                passed[row["step"], row["slot"], row["task_id"]].append(row["judgement"] == Judgement.PASS)
    drawn = {arm: np.zeros(4) for arm in sorted(set(arm_of.values()))}
    failed = dict.fromkeys(drawn, 0)
    for (step, _, task), verdicts in passed.items():
        drawn[arm_of[task]][min(4 * step // STEPS, 3)] += 1
        failed[arm_of[task]] += not all(verdicts)
    each = STEPS * PROMPTS / 4
    return {arm: {"share": (n / each).round(4).tolist(), "failed": failed[arm]} for arm, n in drawn.items()}


def met_failing(side: dict) -> int | None:
    """Groups that failed somewhere, of levels mastered at the start; None of a run that did not keep its practice."""
    if "practice" not in side:
        return None
    return sum(side["practice"][arm]["failed"] for arm, row in side["before"].items() if row["pass@1"] >= MASTERED)


def fitted(curve: list) -> tuple[np.ndarray, np.ndarray]:
    """Rollouts and the isotonic fit of pass@1 over them."""
    steps, values = np.array(curve, dtype=float).T
    return steps * PROMPTS * GROUP, IsotonicRegression().fit_transform(steps, values)


def crossing(curve: list, target: float) -> tuple[float, bool]:
    """Rollouts at which the fitted curve first reaches `target`, and whether it did."""
    rollouts, fit = fitted(curve)
    if fit[-1] < target:
        return float(rollouts[-1]), False
    at = int(np.argmax(fit >= target))
    if at == 0:
        return float(rollouts[1]), True
    share = (target - fit[at - 1]) / (fit[at] - fit[at - 1])
    return float(rollouts[at - 1] + share * (rollouts[at] - rollouts[at - 1])), True


def against_uniform(ours: dict, uniform: dict) -> dict:
    """One seed: the ratio of rollouts to target, the area between the curves, the ends, and the worst level lost."""
    start = uniform["curve"][0][1]
    target = start + SHARE * (fitted(uniform["curve"])[1][-1] - start)
    needed, reached = crossing(ours["curve"], target)
    by_uniform, _ = crossing(uniform["curve"], target)
    values = [np.array([value for _, value in side["curve"]]) for side in (ours, uniform)]
    worst, lost = worst_lost(ours)
    return {
        "seed": ours["seed"], "target": round(target, 4), "ratio": round(by_uniform / needed, 3), "reached": reached,
        "area": round(float((values[0] - values[1]).mean()), 4),
        **{
            f"{metric} {name}": round(mean(side[when], metric), 4)
            for metric in ("pass@1", "pass@8")
            for name, side, when in (
                ("start", ours, "before"), ("end", ours, "after"), ("uniform's end", uniform, "after"),
            )
        },
        "worst_level": worst, "worst_level_lost": lost, "uniform's worst_level_lost": worst_lost(uniform)[1],
        "failing_groups_of_mastered_levels": met_failing(ours), "uniform's failing_groups": met_failing(uniform),
    }  # fmt: skip


def worst_lost(side: dict) -> tuple[str, float]:
    """The level that lost most pass@1 between the start and the end of a run, and how much."""
    lost = {arm: side["before"][arm]["pass@1"] - row["pass@1"] for arm, row in side["after"].items()}
    worst = max(lost, key=lambda arm: lost[arm])
    return worst, round(lost[worst], 4)


def summary(rows: list[dict]) -> dict:
    """The geometric mean of the ratios with its t-interval over seeds, and the mean area."""
    logs = np.log([row["ratio"] for row in rows])
    half = student.ppf(0.975, len(rows) - 1) * logs.std(ddof=1) / np.sqrt(len(rows)) if len(rows) > 1 else np.nan
    ratio, low, high = (round(float(np.exp(logs.mean() + x)), 3) for x in (0.0, -half, half))
    return {
        "n_seeds": len(rows), "ratio": ratio, "low": low, "high": high,
        "area": round(float(np.mean([row["area"] for row in rows])), 4),
        "pass@8_against_uniform": round(
            float(np.mean([row["pass@8 end"] - row["pass@8 uniform's end"] for row in rows])), 4
        ),
        **{name: max(row[name] for row in rows) for name in ("worst_level_lost", "uniform's worst_level_lost")},
    }  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seeds", default="0:8")
    parser.add_argument("--schedulers", default="frontier")
    parser.add_argument("--rate", type=float, default=RATE, help="learning rate of all runs")
    parser.add_argument("--folder", type=Path, default=Path(".bench/curriculum_live"))
    parser.add_argument("--only-print", action="store_true", help="print what is finished and run nothing")
    args = parser.parse_args()
    quiet()
    first, last = map(int, args.seeds.split(":"))
    names = [name for name in args.schedulers.split(",") if name != "uniform"]
    with Judge(workers=1) as judge:
        for seed in range(first, last) if not args.only_print else ():
            for name in ("uniform", *names):
                done = run(args.folder, seed, name, args.rate, judge)
                print(f"seed {seed} {name}: pass@1 {done['curve'][0][1]:.3f} -> {mean(done['after'], 'pass@1'):.3f}",
                      file=sys.stderr, flush=True)  # fmt: skip
    table: dict[str, Any] = {}
    for name in names:
        files = [
            [kept_at(args.folder, seed, side, args.rate) for side in (name, "uniform")] for seed in range(first, last)
        ]
        rows = [
            against_uniform(*(json.loads(path.read_text()) for path in pair))
            for pair in files if all(path.is_file() for path in pair)
        ]  # fmt: skip
        table[name] = {"rows": rows, **(summary(rows) if rows else {"n_seeds": 0})}
        for row in rows if not args.json else ():
            print(name, row)
    print(json.dumps({"rate": args.rate, "against_uniform": table}))


if __name__ == "__main__":
    main()
