"""Does the controller save what reinforcement would cost, and cost nothing where nothing collapses?

    python benchmarks/collapse_live.py --json [--setups noisy,levels] [--arms plain,ours] [--seeds 0:8] [--folder DIR]

The live pocket policy in both set-ups, trained in stages by TRL GRPO with uniform sampling. `ours` has the guard within
stages and the watch between them, as a campaign has them and under one configuration; `plain` has neither, is staged
alike and starts from the same policy. Every arm spends the same rollouts; canaries and stages that were rolled back
count. Each stage is evaluated in every arm (the watch reads it); those rollouts train nothing and are not counted.

`reckless` arms start at three times the rate, `bonus` arms with an entropy coefficient of .1; `-ours` is the same
start under the controller. `sweep` runs every fixed (rate, coefficient) on the first seed; `fixed` is the best of them
on every seed, and its table says what the sweep cost. At the end 1,200 held-out tasks that no watch has seen are
sampled 16 times. Intervals are of a hierarchical bootstrap over seeds, and over tasks within them. What is finished
lies in `--folder` and is not run again; `--only-print` runs nothing.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

import numpy as np
from collapse_table import SAMPLES, pass_rates, show, swept, table_of
from pocket_setups import CANARY, SETUPS, Setup, warm
from quiet import quiet

from flows.campaign import CampaignConfig
from flows.settings import Settings
from flows.steps import calibration, evaluation, planning, training, watching
from flows.steps.stage_series import evaluated
from flows.steps.steering import outset
from flows.workshop import Workshop, workshop
from synth.graders import Judge
from trainer import policies
from trainer import run as trainer_run
from trainer.config import SamplingConfig
from trainer.errors import StageFailed
from trainer.evaluate import sample_and_judge
from trainer.spool import Committer
from trainer.stage import StageResult, drain_all
from trainer.stagefile import StageFile
from warehouse.records import Action, Alarm, Judgement, RolloutPurpose, Split, Stage, Status, StatusChange, Task

STAGE_STEPS, PROMPTS, GROUP = 25, 16, 8
LOOKED, TESTED = 480, 1200
"""Held-out tasks that each stage's evaluation looks at, and those of the end."""
SWEEP = tuple((rate, coefficient) for rate in (0.5, 1.0) for coefficient in (0.0, 0.02, 0.05, 0.1))
"""Fixed settings: the rate as a multiple of the set-up's, and the entropy coefficient."""


def arms_of(setup: str) -> dict[str, dict[str, float]]:
    """Every arm of a set-up by name: multiple of the rate, and entropy coefficient."""
    starts = {"": (1.0, 0.0), "reckless": (3.0, 0.0)} | ({"bonus": (1.0, 0.1)} if setup == "levels" else {})
    arms = {}
    for start, (rate, coefficient) in starts.items():
        for name in ("plain", "ours") if not start else (start, f"{start}-ours"):
            arms[name] = {"rate": rate, "coefficient": coefficient, "ours": float(name.endswith("ours"))}
    for rate, coefficient in SWEEP:
        arms[f"fixed {rate:g} {coefficient:g}"] = {"rate": rate, "coefficient": coefficient, "ours": 0.0}
    return arms


def config_of(setup: Setup, arm: dict[str, float], seed: int) -> CampaignConfig:
    """An arm as a campaign: those without the controller neither guard nor watch."""
    ours = bool(arm["ours"])
    return CampaignConfig.model_validate(
        {
            "seed": seed,
            "synthesis": {"families": setup.families},
            "calibration": {"budget_share": 0.0, "recent_steps": 0},
            "curriculum": {"scheduler": "uniform", "baseline": "none", "n_stages": -(-setup.n_steps // STAGE_STEPS)},
            "stage": {
                "n_steps": STAGE_STEPS, "prompts_per_step": PROMPTS, "group_size": GROUP,
                "checkpoint_every": STAGE_STEPS, "learning_rate": arm["rate"] * setup.learning_rate,
                "entropy_coef": arm["coefficient"],
            },
            "guard": {"canary_tasks": CANARY if ours else 0, "watch_only": not ours},
            "watch": {"enabled": ours},
            "evaluation": {"n_tasks": LOOKED, "n_samples": SAMPLES},
        }
    )  # fmt: skip


def in_this_process(stage: StageFile, store: Committer, *, progress: Any = None) -> StageResult:
    """As `trainer.stage.run_stage`, without the start of a process for each of many short stages."""
    del progress
    began = time.monotonic()
    with contextlib.redirect_stdout(io.StringIO()):
        trained = trainer_run.run(stage)
    drain_all(stage, store)
    made = trained.checkpoint
    return StageResult(
        os.path.relpath(made.folder, stage.home), made.policy_id, made.weights_hash, made.step, trained.n_steps,
        trained.n_rollouts, time.monotonic() - began, trained.reason,
    )  # fmt: skip


def heldout(setup: Setup) -> tuple[list[Task], list[Task]]:
    """Tasks that every stage's evaluation looks at, and at least `TESTED` others for the end; arms evenly in both."""
    arms: dict[str, list[Task]] = {}
    for task in setup.tasks(Split.HELDOUT, 250, 7):
        arms.setdefault(task.arm, []).append(task)
    each = LOOKED // len(arms)
    looked = [task for own in arms.values() for task in own[: min(each, len(own) // 3)]]
    seen = {task.task_id for task in looked}
    rest = [[task for task in own if task.task_id not in seen] for own in arms.values()]
    size = next((n for n in range(1, 251) if sum(len(own[:n]) for own in rest) >= TESTED), 250)
    return looked, [task for own in rest for task in own[:size]]


def furnish(shop: Workshop, setup: Setup, seed: int, looked: list[Task]) -> str:
    """Put tasks and the first policy into the home, once; returns the policy's id."""
    first = policies.record(warm(shop.home.checkpoints / "warm", setup, seed), shop.home.root)
    tasks = [*setup.tasks(Split.TRAIN, 100, 11), *setup.tasks(Split.CANARY, 12, 11), *looked]
    accepted = [StatusChange(task_id=task.task_id, status=Status.ACCEPTED, reason="benchmark") for task in tasks]
    shop.commit([*tasks, *accepted, first], batch=f"furnish {LOOKED}", purpose="furnish")
    return first.policy_id


class Trained(NamedTuple):
    """The policy that an arm ends with, rollouts spent before and after each stage, and why it ended early."""

    policy: str
    spent: list[int]
    ended: str | None


def train(shop: Workshop, config: CampaignConfig, policy: str, campaign: str, budget: int) -> Trained:
    """Stages until `budget` rollouts are spent, the watch ends the arm, or a stage diverges.

    What a campaign does after a stage and at its end is done by its own steps; the last stage is cut to what is left.
    """
    course, spent = outset(config, policy), [0]
    evaluation.evaluate_policy(shop, config, policy, campaign_id=campaign, index=0)
    while course.ended is None:
        steps = affordable(course.config, budget - spent[-1])
        if steps == 0:
            break
        index = len(spent)
        stage = course.config.stage.model_copy(update={"n_steps": steps})
        own = course.config.model_copy(update={"stage": stage})
        calibration.calibrate(shop, own, course.policy)
        mixture = planning.plan_mixture(shop, own, course.policy, campaign_id=campaign, index=index)
        try:
            policy = training.train_stage(shop, own, mixture, campaign_id=campaign, index=index, fresh=course.fresh)
        except StageFailed as error:
            return Trained(course.policy, spent, str(error))
        evaluation.evaluate_policy(shop, config, policy, campaign_id=campaign, index=index)
        stages = shop.store.read(
            Stage, "campaign_id = $id AND status = 'finished' AND stage_index = $index",
            {"id": campaign, "index": index},
        )  # fmt: skip
        spent.append(spent[-1] + int(stages[-1].n_rollouts or 0))
        course = watching.watch_stage(shop, config, policy, campaign_id=campaign, index=index)
    course = watching.conclude(shop, config, policy, campaign_id=campaign, index=len(spent) - 1)
    return Trained(course.policy, spent, course.ended)


def affordable(config: CampaignConfig, left: int) -> int:
    """Steps of the next stage that `left` rollouts pay for, its canaries included; a stage of under 5 is not begun."""
    step, guard = config.stage.prompts_per_step * config.stage.group_size, config.guard
    look = guard.canary_tasks * guard.canary_samples
    fits = [n for n in range(5, config.stage.n_steps + 1) if n * step + (1 + n // guard.every) * look <= left]
    return max(fits, default=0)


def run(folder: Path, name: str, arm: str, seed: int) -> dict:
    """One arm of one seed: its curve, everything that fired and was done, and passes of every task at its end."""
    home, kept = folder / f"{name}-{seed}", folder / "runs" / name / f"{arm.replace(' ', '_')}-{seed}.json"
    if kept.is_file():
        return json.loads(kept.read_text())
    setup, began = SETUPS[name], time.process_time()
    config = config_of(setup, arms_of(name)[arm], seed)
    looked, tested = heldout(setup)
    campaign, budget = f"{name} {arm} {seed}", setup.n_steps * PROMPTS * GROUP
    with workshop(Settings(home=home, judge_workers=1), flow="run_campaign", config={}, campaign_id=campaign) as shop:
        start = furnish(shop, setup, seed, looked)
        last, spent, ended = train(shop, config, start, campaign, budget)
        result = {
            "setup": name, "arm": arm, "seed": seed, "rollouts": spent[-1], "budget": budget, "ended": ended,
            "curve": list(curve(shop, campaign, spent)), "events": list(events(shop, campaign)),
            "before": tested_by(home, folder, start, shop, tested, f"{name}-{seed}"),
            "after": passes(load(shop, last), tested, shop.judge), "n_tested": len(tested),
            "cpu_s": round(time.process_time() - began, 1),
        }  # fmt: skip
    kept.parent.mkdir(parents=True, exist_ok=True)
    draft = kept.with_suffix(".draft")
    draft.write_text(json.dumps(result))
    draft.rename(kept)
    return result


def load(shop: Workshop, policy: str) -> policies.LoadedPolicy:
    from flows.steps.policies import load_policy

    return load_policy(shop, policy)


def passes(policy: policies.LoadedPolicy, tasks: list[Task], judge: Judge) -> list[int]:
    rows = sample_and_judge(
        policy, tasks, judge, n=SAMPLES, sampling=SamplingConfig(), seed=99, purpose=RolloutPurpose.EVAL, owner="end"
    )
    return np.array([row.judgement is Judgement.PASS for row in rows]).reshape(len(tasks), -1).sum(1).tolist()


def tested_by(home: Path, folder: Path, start: str, shop: Workshop, tested: list[Task], key: str) -> list[int]:
    """Passes of the policy that all arms of a seed start from, sampled once."""
    kept = folder / "runs" / f"start-{key}.json"
    if not kept.is_file():
        kept.parent.mkdir(parents=True, exist_ok=True)
        kept.write_text(json.dumps(passes(load(shop, start), tested, shop.judge)))
    return json.loads(kept.read_text())


def curve(shop: Workshop, campaign: str, spent: list[int]) -> Iterator[dict]:
    """Rollouts spent, pass@1, pass@8 and entropy before the first and after each stage."""
    for index in sorted(evaluated(shop.store, campaign)):
        found = evaluation.figures(shop, campaign, index)
        yield {"rollouts": spent[index]} | {m: round(found[m]["value"], 4) for m in ("pass@1", "pass@8", "entropy")}


def events(shop: Workshop, campaign: str) -> Iterator[dict]:
    """Every alarm of the campaign and its stages, and every action, in order of rows."""
    stages = {row.stage_id: row.stage_index for row in shop.store.read(Stage, "campaign_id = $id", {"id": campaign})}
    owners = {"owners": [campaign, *stages]}
    for alarm in shop.store.read(Alarm, "list_contains($owners, owner)", owners):
        yield {"stage": stages.get(alarm.owner, alarm.step), "within": alarm.owner in stages, "step": alarm.step,
               "alarm": alarm.detector, "level": str(alarm.level), "value": alarm.inputs.get("value")}  # fmt: skip
    for action in shop.store.read(Action, "list_contains($owners, owner)", owners):
        yield {"within": action.owner in stages, "action": action.action, "before": dict(action.before),
               "after": dict(action.after), "applied": action.applied, "effect": dict(action.effect or {})}  # fmt: skip


def finished(folder: Path, setup: str) -> dict[tuple[str, int], dict]:
    found = [json.loads(path.read_text()) for path in sorted((folder / "runs" / setup).glob("*.json"))]
    return {(row["arm"], row["seed"]): row for row in found}


def asked(setup: str, names: list[str], seeds: range, folder: Path) -> Iterator[tuple[str, int]]:
    """The runs to do, seed by seed; `sweep` on the first seed only, `fixed` the best of it on every seed."""
    arms = arms_of(setup)
    if "sweep" in names:
        yield from ((arm, seeds[0]) for arm in arms if arm.startswith("fixed"))
    for seed in seeds:
        for name in names:
            if name == "fixed" and (best := swept(finished(folder, setup))) is not None:
                yield best["best"], seed
            elif name in arms:
                yield name, seed


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--setups", default="noisy,levels")
    parser.add_argument(
        "--arms", default="plain,ours", help="also: reckless, reckless-ours, bonus, bonus-ours, sweep, fixed"
    )
    parser.add_argument("--seeds", default="0:8")
    parser.add_argument("--folder", type=Path, default=Path(".bench/collapse_live"))
    parser.add_argument("--only-print", action="store_true", help="print what is finished and run nothing")
    args = parser.parse_args()
    quiet()
    training.run_stage = in_this_process
    seeds = range(*map(int, args.seeds.split(":")))
    out = {}
    for setup in args.setups.split(","):
        for arm, seed in asked(setup, args.arms.split(","), seeds, args.folder) if not args.only_print else ():
            done = run(args.folder.absolute(), setup, arm, seed)
            ends = [float(pass_rates(done, "after", k).mean()) for k in (1, 8)]
            print(f"{setup} {arm} {seed}: pass@1 {ends[0]:.3f} pass@8 {ends[1]:.3f} {done['cpu_s']} CPU-s",
                  file=sys.stderr, flush=True)  # fmt: skip
        runs = finished(args.folder, setup)
        out[setup] = {"arms": table_of(runs), "fixed": swept(runs)}
        if not args.json:
            show(setup, out[setup]["arms"], runs)
    print(json.dumps(out))


if __name__ == "__main__":
    main()
