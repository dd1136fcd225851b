"""What our trainer costs over a plain `GRPOTrainer`: the same policy, prompts, rewards and generation, in one run.

    python benchmarks/trainer_overhead.py --json [--steps 20] [--rounds 4]
    python benchmarks/trainer_overhead.py --json --policy smollm --home FOLDER --steps 1 --rounds 2

Blocks of steps alternate between the two, and the ratio is that of CPU seconds, so that a busy machine does not
decide it. `own` is the share of a step's CPU seconds in methods that a plain trainer does not have, `recording` the
part of it that writes rollouts, draws and metrics. Memory is the peak of resident memory, each side in a process of its
own (`--only`).
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import NamedTuple

from datasets import Dataset
from pocket_levels import tasks_of
from quiet import quiet
from transformers import PrinterCallback
from trl import GRPOTrainer

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from curriculum import schedulers
from curriculum.pool import pool_of
from synth.graders import Judge
from trainer import policies
from trainer.config import GuardConfig, SamplingConfig, StageConfig, TrainerConfig
from trainer.rewards import TaskReward
from trainer.smollm import smollm_folder
from trainer.stagefile import StageFile
from trainer.training import Stage
from trainer.trl_config import grpo_config
from warehouse.records import Split

OWN = (
    ("stage", "record"), ("stage", "note"), ("sampler", "draws"), ("sampler", "observe"), ("guard", "on_log"),
    ("guard", "on_step_begin"), ("guard", "on_step_end"), ("trainer", "_log_shares"),
)  # fmt: skip
"""Methods of ours that a plain trainer does not have; those of `stage` record, the others decide."""


class Side(NamedTuple):
    """One block of steps: CPU seconds, the share of what is ours, and the share of recording."""

    spent: float
    own: float = 0.0
    recording: float = 0.0


def settings(args: argparse.Namespace, engine: str) -> tuple[StageConfig, SamplingConfig]:
    """The same steps for both sides; those of SmolLM2 are of 8 completions, padded to one shape whatever is drawn."""
    if args.policy == "pocket":
        return StageConfig(n_steps=args.steps, checkpoint_every=args.steps), SamplingConfig(engine=engine)
    trl: dict = {"pad_to_multiple_of": 64, "generation_kwargs": {"min_new_tokens": 16}}
    stage = StageConfig(n_steps=args.steps, checkpoint_every=args.steps, prompts_per_step=2, group_size=4, trl=trl)
    return stage, SamplingConfig(engine=engine, max_tokens=16)


def timed(trainer: GRPOTrainer) -> float:
    began = time.process_time()
    trainer.train()
    return time.process_time() - began


def clock(holder: object, name: str, into: list[float], running: list[str]) -> None:
    """Add the CPU seconds of each call of a method to `into`; calls within another clocked one count once."""
    plain = getattr(holder, name)

    def clocked(*values: object, **named: object) -> object:
        began = time.process_time()
        running.append(name)
        try:
            return plain(*values, **named)
        finally:
            running.pop()
            if not running:
                into.append(time.process_time() - began)

    setattr(holder, name, clocked)


def ours(home: Path, tasks: list, judge: Judge, args: argparse.Namespace, number: int, engine: str) -> Side:
    stage_config, sampling = settings(args, engine)
    config = TrainerConfig(stage=stage_config, guard=GuardConfig(canary_tasks=0), sampling=sampling)
    file = StageFile(
        home=str(home), run_id="bench", stage_id=f"{engine}{number}", snapshot_id=0, policy=args.start,
        scheduler="frontier", trainer=config,
    )  # fmt: skip
    scheduler = schedulers.get("frontier")(pool_of(tasks), {}, 0)
    stage = Stage(file, policy=policies.load(args.start, home), tasks=tasks, scheduler=scheduler, judge=judge)
    stage.trainer.args.save_strategy = "no"
    recording: list[float] = []
    deciding: list[float] = []
    running: list[str] = []
    for place, name in OWN:
        holder = stage if place == "stage" else getattr(stage, place)
        clock(holder, name, recording if place == "stage" else deciding, running)
    stage.trainer._recorder = stage.record
    spent = timed(stage.trainer)
    return Side(spent, (sum(recording) + sum(deciding)) / spent, sum(recording) / spent)


def plain(home: Path, tasks: list, judge: Judge, args: argparse.Namespace, number: int) -> float:
    stage, sampling = settings(args, "transformers")
    own = grpo_config(stage, sampling, output_dir=home / f"plain{number}", seed=0, last_step=args.steps)
    own.save_strategy = "no"
    own.shuffle_dataset = True
    policy = policies.load(args.start, home)
    prompts = [policy.render(task.prompt) for task in tasks]
    trainer = GRPOTrainer(
        model=policy.model, reward_funcs=TaskReward(tasks, judge), args=own, processing_class=policy.tokenizer,
        train_dataset=Dataset.from_dict({"prompt": prompts, "position": list(range(len(tasks)))}),
    )  # fmt: skip
    trainer.remove_callback(PrinterCallback)
    return timed(trainer)


def own_peak_mib() -> float:
    """Peak resident memory of this program; `ru_maxrss` would be the parent's where that was larger."""
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) / 1024


def peak_mib(which: str, args: argparse.Namespace) -> float:
    """Peak resident memory of a process that trains on one side, in MiB."""
    command = [sys.executable, __file__, "--only", which, "--steps", str(args.steps), "--policy", args.policy]
    command += ["--home", args.home] if args.home else []
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout.strip().splitlines()[-1])


def prepared(args: argparse.Namespace, folder: str) -> Path:
    """The home to work in; `args.start` is then the policy's folder below it."""
    if args.policy == "smollm":
        home = Path(args.home or folder)
        args.start = str(smollm_folder(home).relative_to(home))
        return home
    policies.save(policies.fresh_pocket(0), Path(folder) / "warm")
    args.start = "warm"
    return Path(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--policy", choices=["pocket", "smollm"], default="pocket")
    parser.add_argument("--home", help="where SmolLM2 lies dequantised, or is put")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--only", choices=["ours", "plain"], help="train one side and print its peak memory in MiB")
    args = parser.parse_args()
    quiet()
    tasks = tasks_of(["rev", "sort", "inc"], Split.TRAIN, 40, 11)
    engines = ["transformers", "lean"] if args.policy == "pocket" else ["transformers"]
    ratios: dict[str, list[float]] = {engine: [] for engine in engines}
    sides: dict[str, list[Side]] = {engine: [] for engine in engines}
    with tempfile.TemporaryDirectory() as folder, Judge(workers=1) as judge:
        home = prepared(args, folder)
        if args.only:
            if args.only == "plain":
                plain(home, tasks, judge, args, 0)
            else:
                ours(home, tasks, judge, args, 0, "transformers")
            print(own_peak_mib())
            return
        plain(home, tasks, judge, args, -1)
        for number in range(args.rounds):
            theirs = plain(home, tasks, judge, args, number)
            for engine in engines:
                side = ours(home, tasks, judge, args, number, engine)
                ratios[engine].append(side.spent / theirs)
                sides[engine].append(side)
                told = f"round {number} {engine}: {side.spent:.1f} CPU-s, plain {theirs:.1f}, ours {side.own:.4f}"
                print(told, file=sys.stderr, flush=True)
    peaks = {which: peak_mib(which, args) for which in ("ours", "plain")}
    names = {"transformers": "same_generation", "lean": "lean_generation"}
    result: dict = {"policy": args.policy, "memory_over_plain_trl": round(peaks["ours"] / peaks["plain"], 4),
                    "peak_mib": peaks}  # fmt: skip
    for engine in engines:
        result |= {
            f"cpu_over_plain_trl_{names[engine]}": round(median(ratios[engine]), 4),
            f"steps_per_cpu_second_over_plain_trl_{names[engine]}": round(1 / median(ratios[engine]), 4),
            f"own_share_{names[engine]}": round(median(side.own for side in sides[engine]), 4),
            f"recording_share_{names[engine]}": round(median(side.recording for side in sides[engine]), 4),
            f"rounds_{names[engine]}": [round(x, 4) for x in ratios[engine]],
        }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
