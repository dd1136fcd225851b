"""What our trainer costs over a plain `GRPOTrainer`: the same policy, prompts, rewards and generation, in one run.

    python benchmarks/trainer_overhead.py --json [--steps 20] [--rounds 4]

Blocks of steps alternate between the two, and the ratio is that of CPU seconds, so that a busy machine does not
decide it. `recording` is the share of a step that writing rollouts, draws and metrics takes. Memory is the peak of
resident memory, each side in a process of its own (`--only`).
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
from trainer.stagefile import StageFile
from trainer.training import Stage
from trainer.trl_config import grpo_config
from warehouse.records import Split


def timed(trainer: GRPOTrainer) -> float:
    began = time.process_time()
    trainer.train()
    return time.process_time() - began


def ours(home: Path, tasks: list, judge: Judge, args: argparse.Namespace, number: int, engine: str) -> tuple:
    config = TrainerConfig(
        stage=StageConfig(n_steps=args.steps, checkpoint_every=args.steps), guard=GuardConfig(canary_tasks=0),
        sampling=SamplingConfig(engine=engine),
    )  # fmt: skip
    file = StageFile(
        home=str(home), run_id="bench", stage_id=f"{engine}{number}", snapshot_id=0, policy="warm",
        scheduler="frontier", trainer=config,
    )  # fmt: skip
    scheduler = schedulers.get("frontier")(pool_of(tasks), {}, 0)
    stage = Stage(file, policy=policies.load("warm", home), tasks=tasks, scheduler=scheduler, judge=judge)
    stage.trainer.args.save_strategy = "no"
    written: list[float] = []
    for name in ("record", "note"):
        plain = getattr(stage, name)

        def clocked(*values: object, plain: object = plain) -> None:
            began = time.process_time()
            plain(*values)  # type: ignore[operator]
            written.append(time.process_time() - began)

        setattr(stage, name, clocked)
    stage.trainer._recorder = stage.record
    spent = timed(stage.trainer)
    return spent, sum(written) / spent


def plain(home: Path, tasks: list, judge: Judge, args: argparse.Namespace, number: int) -> float:
    settings = grpo_config(
        StageConfig(n_steps=args.steps), SamplingConfig(engine="transformers"), output_dir=home / f"plain{number}",
        seed=0, last_step=args.steps,
    )  # fmt: skip
    settings.save_strategy = "no"
    settings.shuffle_dataset = True
    policy = policies.load("warm", home)
    trainer = GRPOTrainer(
        model=policy.model, reward_funcs=TaskReward(tasks, judge), args=settings, processing_class=policy.tokenizer,
        train_dataset=Dataset.from_dict({"prompt": [t.prompt for t in tasks], "position": list(range(len(tasks)))}),
    )  # fmt: skip
    trainer.remove_callback(PrinterCallback)
    return timed(trainer)


def own_peak_mib() -> float:
    """Peak resident memory of this program; `ru_maxrss` would be the parent's where that was larger."""
    status = Path("/proc/self/status").read_text()
    return int(next(line for line in status.splitlines() if line.startswith("VmHWM")).split()[1]) / 1024


def peak_mib(which: str, steps: int) -> float:
    """Peak resident memory of a process that trains `steps` steps on one side, in MiB."""
    command = [sys.executable, __file__, "--only", which, "--steps", str(steps)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return float(done.stdout.strip().splitlines()[-1])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--steps", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--only", choices=["ours", "plain"], help="train one side and print its peak memory in MiB")
    args = parser.parse_args()
    quiet()
    tasks = tasks_of(["rev", "sort", "inc"], Split.TRAIN, 40, 11)
    same, lean, recording, share = [], [], [], []
    with tempfile.TemporaryDirectory() as folder, Judge(workers=1) as judge:
        home = Path(folder)
        policies.save(policies.fresh_pocket(0), home / "warm")
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
            own, share_same = ours(home, tasks, judge, args, number, "transformers")
            fast, share_lean = ours(home, tasks, judge, args, number, "lean")
            same.append(own / theirs)
            lean.append(fast / theirs)
            recording.append(share_same)
            share.append(share_lean)
    peaks = {which: peak_mib(which, args.steps) for which in ("ours", "plain")}
    result = {
        "memory_over_plain_trl": round(peaks["ours"] / peaks["plain"], 4),
        "peak_mib": peaks,
        "cpu_over_plain_trl_same_generation": round(median(same), 4),
        "cpu_over_plain_trl_lean_generation": round(median(lean), 4),
        "recording_share_same_generation": round(median(recording), 4),
        "recording_share_lean_generation": round(median(share), 4),
        "rounds": {"same": [round(x, 4) for x in same], "lean": [round(x, 4) for x in lean]},
    }
    print(json.dumps(result))


if __name__ == "__main__":
    main()
