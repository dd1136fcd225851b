"""Does the pocket policy learn? Held-out pass@1 and pass@8 before and after GRPO, by scheduler and seed.

    python benchmarks/pocket_levels.py --json --seeds 0:3 [--families rev,sort,inc] [--schedulers frontier,uniform]

Every scheduler starts from the same warm start and spends the same rollouts. What is finished lies in `--folder`
and is not done again.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from pathlib import Path

import numpy as np
from quiet import quiet

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from curriculum import schedulers
from curriculum.estimates import compare, pass_at_k
from curriculum.pool import pool_of
from synth.family import FAMILIES
from synth.graders import Judge
from synth.tasks import make_item, to_task
from trainer import policies
from trainer.config import EvaluationConfig, GuardConfig, StageConfig, TrainerConfig, WarmStartConfig
from trainer.evaluate import evaluate
from trainer.sft import clean_pairs, warm_start
from trainer.stagefile import StageFile
from trainer.training import Stage
from warehouse.records import Judgement, Split, Task

LEVELS = ("rev", "sort", "inc")
"""The families that the figures are about; every other one is reported for itself."""


def tasks_of(families: list[str], split: Split, per_level: int, seed: int) -> list[Task]:
    made: dict[str, Task] = {}
    for name in families:
        family = FAMILIES.get(name)
        for level in family.levels:
            have = 0
            for index in range(20 * per_level):
                item = make_item(family, level=level, seed=seed, index=index)
                task = to_task(family, item, level=level, seed=seed, index=index)
                if task.split is split and task.task_id not in made and have < per_level:
                    made[task.task_id] = task
                    have += 1
    return sorted(made.values(), key=lambda task: task.task_id)


def measure(policy: policies.LoadedPolicy, tasks: list[Task], judge: Judge) -> dict[str, dict]:
    """Per task: n, c, entropy; the protocol is the default one over all the tasks given."""
    protocol = EvaluationConfig(n_tasks=len(tasks))
    found: dict[str, dict] = {}
    for row in evaluate(policy, tasks, judge, protocol).rollouts:
        own = found.setdefault(row.task_id, {"n": 0, "c": 0, "entropy": 0.0})
        own["n"] += row.judgement.decided
        own["c"] += row.judgement is Judgement.PASS
        own["entropy"] += (row.mean_entropy or 0.0) / protocol.n_samples
    return found


def figures(before: dict, after: dict, tasks: list[Task]) -> dict[str, dict]:
    """Before, after and the paired difference with its interval, clustered by family and level."""
    clusters = [task.arm for task in tasks]
    out = {}
    for name, k in (("pass@1", 1), ("pass@8", 8)):
        values = [
            pass_at_k([side[t.task_id]["n"] for t in tasks], [side[t.task_id]["c"] for t in tasks], k)
            for side in (before, after)
        ]
        change = compare(values[0], values[1], clusters)
        low, high = change.low, change.high
        out[name] = {
            "before": round(float(values[0].mean()), 4), "after": round(float(values[1].mean()), 4),
            "difference": round(change.difference, 4), "low": round(low, 4), "high": round(high, 4),
        }  # fmt: skip
    entropy = [float(np.mean([side[t.task_id]["entropy"] for t in tasks])) for side in (before, after)]
    out["entropy"] = {"before": round(entropy[0], 4), "after": round(entropy[1], 4)}
    return out


def by_group(before: dict, after: dict, tasks: list[Task]) -> dict[str, dict]:
    groups = {"levels": [task for task in tasks if task.family in LEVELS]}
    for task in tasks:
        groups.setdefault(f"family:{task.family}", []).append(task)
    return {name: figures(before, after, own) for name, own in groups.items() if own}


def one(args: argparse.Namespace, seed: int, scheduler: str, judge: Judge) -> dict:
    """One campaign, stage by stage; each finished stage's figures are kept."""
    home = args.folder / f"{'-'.join(args.families)}-{args.warm_steps}-{seed}"
    kept = home / f"{scheduler}-{args.stages}x{args.steps}x{args.prompts}-{args.rate}.json"
    if kept.is_file():
        return json.loads(kept.read_text())
    weights = {name: args.share for name in args.families if name in LEVELS} if len(args.families) > 3 else {}
    config = WarmStartConfig(n_steps=args.warm_steps, family_weights=weights)
    if not (home / "warm" / "config.json").is_file():
        began = time.process_time()
        pairs = clean_pairs(args.families, config, seed=seed)
        started = warm_start(policies.fresh_pocket(seed), pairs, config, seed=seed)
        policies.save(started.policy, home / "warm.draft")
        (home / "warm.draft").rename(home / "warm")
        print(f"seed {seed}: warm start {time.process_time() - began:.0f} CPU-s", file=sys.stderr, flush=True)
    heldout = tasks_of(args.families, Split.HELDOUT, 17 if len(args.families) <= 3 else 10, 7)
    train = tasks_of(args.families, Split.TRAIN, args.per_level, 11)
    before = measure(policies.load("warm", home), heldout, judge)
    print(f"seed {seed}: start {figures(before, before, _levels(heldout))}", file=sys.stderr, flush=True)
    trainer = TrainerConfig(
        stage=StageConfig(n_steps=args.steps, prompts_per_step=args.prompts, learning_rate=args.rate),
        guard=GuardConfig(canary_tasks=0),
    )
    policy, start, began, curve = "warm", None, time.process_time(), []
    for index in range(args.stages):
        name = f"{scheduler}-{args.steps}x{args.prompts}-{args.rate}-{index}"
        file = StageFile(
            home=str(home), run_id="bench", stage_id=name, snapshot_id=0, seed=seed,
            policy=policy, continue_from=start, first_step=index * args.steps, scheduler=scheduler,
            trainer=trainer,
        )  # fmt: skip
        built = schedulers.get(scheduler)(pool_of(train), {}, seed)
        stage = Stage(file, policy=policies.load(policy, home), tasks=train, scheduler=built, judge=judge)
        made = stage.train()
        shutil.rmtree(file.spool, ignore_errors=True)
        policy = start = str(made.checkpoint.folder.relative_to(home))
        after = measure(policies.load(policy, home), heldout, judge)
        curve.append(figures(before, after, _levels(heldout)))
        print(f"seed {seed} {scheduler} stage {index}: {curve[-1]}", file=sys.stderr, flush=True)
    result = {
        "seed": seed, "scheduler": scheduler, "n_steps": args.steps * args.stages,
        "cpu_s": round(time.process_time() - began, 1), "groups": by_group(before, after, heldout), "curve": curve,
        "levels": {
            f"{t.family}/{t.level}": [
                round(float(np.mean([side[u.task_id]["c"] / 16 for u in heldout if u.arm == t.arm])), 3)
                for side in (before, after)
            ]
            for t in sorted(heldout, key=lambda t: (t.family, t.level))
        },
    }  # fmt: skip
    kept.write_text(json.dumps(result))
    return result


def _levels(tasks: list[Task]) -> list[Task]:
    return [task for task in tasks if task.family in LEVELS]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seeds", default="0:3")
    parser.add_argument("--families", default="rev,sort,inc", type=lambda text: text.split(","))
    parser.add_argument("--schedulers", default="frontier,uniform")
    parser.add_argument("--warm-steps", type=int, default=250)
    parser.add_argument("--share", type=float, default=2.0, help="weight of rev, sort and inc in a wider warm start")
    parser.add_argument("--per-level", type=int, default=60, help="train tasks of each family and level")
    parser.add_argument("--stages", type=int, default=3)
    parser.add_argument("--steps", type=int, default=StageConfig().n_steps)
    parser.add_argument("--prompts", type=int, default=StageConfig().prompts_per_step)
    parser.add_argument("--rate", type=float, default=StageConfig().learning_rate)
    parser.add_argument("--folder", type=Path, default=Path(".bench/pocket_levels"))
    args = parser.parse_args()
    quiet()
    first, last = map(int, args.seeds.split(":"))
    with Judge(workers=1) as judge:
        rows = [one(args, seed, name, judge) for seed in range(first, last) for name in args.schedulers.split(",")]
    for row in rows if not args.json else ():
        print(row["seed"], row["scheduler"], row["groups"]["levels"])
    print(json.dumps({"rows": rows}))


if __name__ == "__main__":
    main()
