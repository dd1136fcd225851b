"""How far does a policy move for the reward it gains? KL to the reference, full fine-tuning against LoRA.

    python benchmarks/lora_drift.py --json [--seeds 0:2] [--steps 60] [--every 10]

The pocket policy is warm-started, then trained by GRPO with all weights and with adapters of two ranks, each at a
learning rate that learns. Every `--every` steps the policy samples held-out prompts: its pass@1, and the mean over its
own tokens of log p(policy) - log p(start), in nats a token. `kl_at_equal_reward` reads each curve where it first
reaches a gain that every arm of the seed reached.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path

import numpy as np
import torch
from pocket_levels import tasks_of
from quiet import quiet

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from curriculum import schedulers
from curriculum.pool import pool_of
from synth.graders import Judge
from trainer import policies
from trainer.config import GuardConfig, LoraConfig, PolicyConfig, StageConfig, TrainerConfig, WarmStartConfig
from trainer.rollout import decode
from trainer.sft import clean_pairs, warm_start
from trainer.stagefile import StageFile
from trainer.training import Stage
from warehouse.records import Split, Task

FAMILIES = ["rev", "sort", "inc"]
ARMS: dict[str, tuple[LoraConfig | None, float]] = {
    "full": (None, 1.5e-4),
    "lora_rank_16": (LoraConfig(rank=16, alpha=32), 5e-4),
    "lora_rank_2": (LoraConfig(rank=2, alpha=4), 2e-3),
}
"""Adapter and learning rate of each arm."""


def measure(
    policy: policies.LoadedPolicy, start: policies.LoadedPolicy, tasks: list[Task], judge: Judge
) -> tuple[float, float]:
    """pass@1 and KL to the start in nats a token, over 8 completions of every task."""
    generator = torch.Generator().manual_seed(0)
    n, texts, ratios = 8, [], []
    prompts = policy.encode([task.prompt for task in tasks])
    for first in range(0, len(prompts), 64):
        own = prompts[first : first + 64]
        rows = decode(policy.model, own, n=n, temperature=1, max_tokens=14, end_ids=policy.end_ids,
                      pad_id=policy.tokenizer.pad_token_id, generator=generator)  # fmt: skip
        texts += policy.tokenizer.batch_decode([row.ids for row in rows], skip_special_tokens=True)
        ratios += log_ratios(start, own, n, rows)
    asked = [task for task in tasks for _ in range(n)]
    words = judge.judge(asked, texts)
    return float(np.mean([word.reward or 0.0 for word in words])), float(np.concatenate(ratios).mean())


@torch.no_grad()
def log_ratios(start: policies.LoadedPolicy, prompts: list, n: int, rows: list) -> list:
    """log p(policy) - log p(start) of every token sampled, one array a completion."""
    found = []
    for place, prompt in enumerate(prompts):
        own = rows[place * n : place * n + n]
        width = max(len(row.ids) for row in own)
        ids = torch.tensor([[*prompt, *row.ids, *[0] * (width - len(row.ids))] for row in own])
        logits = start.model(input_ids=ids).logits[:, len(prompt) - 1 : -1].float()
        logp = torch.log_softmax(logits, -1).gather(2, ids[:, len(prompt) :, None])[:, :, 0]
        found += [np.array(row.logprobs) - logp[i, : len(row.ids)].numpy() for i, row in enumerate(own)]
    return found


def curve(home: Path, seed: int, arm: str, judge: Judge, args: argparse.Namespace) -> list[dict]:
    lora, rate = ARMS[arm]
    train, heldout = tasks_of(FAMILIES, Split.TRAIN, 60, 11), tasks_of(FAMILIES, Split.HELDOUT, 8, 7)
    config = TrainerConfig(
        policy=PolicyConfig(lora=lora), guard=GuardConfig(canary_tasks=0),
        stage=StageConfig(n_steps=args.steps, learning_rate=rate, checkpoint_every=args.steps, prompts_per_step=16),
    )  # fmt: skip
    file = StageFile(home=str(home), run_id="bench", stage_id=f"{arm}{seed}", snapshot_id=0, seed=seed, policy="warm",
                     trainer=config)  # fmt: skip
    scheduler = schedulers.get("uniform")(pool_of(train), {}, seed)
    start, points = policies.load("warm", home), []
    began = time.process_time()

    def look(step: int, _: object) -> None:
        if step % args.every == 0:
            reward, kl = measure(stage.policy, start, heldout, judge)
            points.append({"step": step, "pass@1": round(reward, 4), "kl": round(kl, 5)})

    stage = Stage(file, policy=policies.load("warm", home), tasks=train, scheduler=scheduler, judge=judge,
                  progress=look)  # fmt: skip
    reward, _ = measure(stage.policy, start, heldout, judge)
    points.append({"step": 0, "pass@1": round(reward, 4), "kl": 0.0})
    stage.train()
    print(f"seed {seed} {arm}: {points} {time.process_time() - began:.0f} CPU-s", file=sys.stderr, flush=True)
    return points


def at_equal_reward(curves: dict[str, list[dict]]) -> dict:
    """KL of each arm where a line through its points first reaches the gain that the slowest arm reached."""
    target = min(max(point["pass@1"] for point in points) for points in curves.values())
    found: dict[str, float] = {}
    for arm, points in curves.items():
        for before, after in pairwise(points):
            if after["pass@1"] >= target:
                share = (target - before["pass@1"]) / max(1e-9, after["pass@1"] - before["pass@1"])
                found[arm] = round(before["kl"] + share * (after["kl"] - before["kl"]), 5)
                break
    return {"pass@1": target, "kl": found}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--seeds", default="0:2")
    parser.add_argument("--steps", type=int, default=60)
    parser.add_argument("--every", type=int, default=10)
    args = parser.parse_args()
    quiet()
    first, last = map(int, args.seeds.split(":"))
    rows = []
    with Judge(workers=1) as judge:
        for seed in range(first, last):
            with tempfile.TemporaryDirectory() as folder:
                home, config = Path(folder), WarmStartConfig(n_steps=250)
                pairs = clean_pairs(FAMILIES, config, seed=seed)
                policies.save(warm_start(policies.fresh_pocket(seed), pairs, config, seed=seed).policy, home / "warm")
                curves = {arm: curve(home, seed, arm, judge, args) for arm in ARMS}
            rows.append({"seed": seed, "curves": curves, "kl_at_equal_reward": at_equal_reward(curves)})
    print(json.dumps({"seeds": rows, "kl_at_equal_reward": [row["kl_at_equal_reward"] for row in rows]}))


if __name__ == "__main__":
    main()
