"""Does a solver gain from a proposer that is paid for what the solver can learn from?

    python benchmarks/proposer.py --json --seeds 0:3          a CPU minute and a half a seed on one core

Each seed has one warm-started solver of programs of three lines, and one proposer that has imitated our generator's
tasks. From there the solver is trained in rounds, as many steps in each arm, on tasks that are

    random     drawn by our own generator, levels in turn
    frozen     proposed by the proposer as it is
    trained    proposed by the proposer after steps of GRPO in each round, rewarded by 4 p (1 - p) of the solver's
               solve rate p

and measured on the same held-out tasks after each round. What is paid for the proposer is told as `n_episodes`: those
that the solver played to price proposals, beside the ones that it trained on. With one seed an interval
knows nothing of what another seed would give. The last line is one JSON object. What is finished lies in `--folder` and
is not done again.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from agent_lab import admitted, played, stage_of
from quiet import quiet

from curriculum.estimates import clustered_interval, compare
from synth.environments.snippets.proposing import demonstrations
from synth.graders import Judge
from trainer import policies
from trainer.config import SamplingConfig, StageConfig, WarmStartConfig
from trainer.episodes import Player
from trainer.pocket_agent import SAMPLING, warm_started
from trainer.rollout import sample
from trainer.selfplay import Proposals, asked
from trainer.sft import warm_start
from warehouse.records import Judgement, Split, Task

ARMS = ("random", "frozen", "trained")
WRITES = SamplingConfig(max_tokens=18)
N_SAMPLES = 8


def started(home: Path, seed: int, judge: Judge, options: argparse.Namespace) -> tuple[Path, Path]:
    """Folders of the solver and of the proposer that all arms of a seed begin with."""
    solver, proposer = home / "solver", home / "proposer"
    if not (solver / "config.json").is_file():
        config = WarmStartConfig(
            n_steps=options.warm_steps, batch_size=32, learning_rate=3e-3, n_scripts=200, level_weights=(6, 2, 1)
        )
        policies.save(warm_started(policies.fresh_pocket_agent(seed), config, judge.pool, seed=seed).policy, solver)
    if not (proposer / "config.json").is_file():
        config = WarmStartConfig(n_steps=options.proposer_steps, batch_size=32, learning_rate=3e-3)
        texts = demonstrations(1024, seed=seed)
        policies.save(warm_start(policies.fresh_pocket_agent(seed + 1000), texts, config, seed=seed).policy, proposer)
    return solver, proposer


def proposals(game: Proposals, proposer: Path, n: int, seed: int) -> tuple[list[Task], dict[str, float]]:
    """Admitted train tasks among texts of a proposer, until there are `n`, and what the solver makes of them."""
    policy, worth, n_texts = policies.load(str(proposer)), list[float](), 0
    first = len(game.accepted)
    for turn in range(8):
        groups = sample(policy, [task.prompt for task in asked([1, 2, 3])], n=n // 2, temperature=1.0,
                        max_tokens=WRITES.max_tokens, seed=seed * 100 + turn)  # fmt: skip
        texts = [one.text for group in groups for one in group]
        words = game.judge([asked([1])[0]] * len(texts), texts)
        worth += [word.reward for word in words if word.reward is not None and word.parts["valid"]]
        n_texts += len(texts)
        found = [task for task in game.accepted[first:] if task.split is Split.TRAIN]
        if len(found) >= n:
            break
    mean = float(np.mean(worth)) if worth else 0.0
    levels = [task.level for task in found[:n]]
    return found[:n], {
        "valid_rate": round(len(worth) / n_texts, 3), "learnability": round(mean, 3),
        "mean_level": round(float(np.mean(levels)), 2),
    }  # fmt: skip


def solved(folder: Path, heldout: list[Task], judge: Judge) -> np.ndarray:
    """Solve rate of each held-out task."""
    rows = played(folder, heldout, judge, n=N_SAMPLES)
    return np.array([row.judgement is Judgement.PASS for row in rows], float).reshape(-1, N_SAMPLES).mean(1)


def arm(name: str, seed: int, home: Path, heldout: list[Task], judge: Judge, options: argparse.Namespace) -> dict:
    """One solver trained in rounds on the tasks of one arm."""
    kept = home / f"{name}.json"
    if kept.is_file():
        return json.loads(kept.read_text())
    solver, proposer = started(home, seed, judge, options)
    rounds, n_episodes, known = [], 0, list[Task]()
    curve = [solved(solver, heldout, judge)]
    for turn in range(options.rounds):
        player = Player(policies.load(str(solver)), lambda: judge.pool, SAMPLING)
        game = Proposals(judge, player, n=options.samples, seed=1000 * seed + turn, known=known)
        if name == "trained":
            stage = StageConfig(n_steps=options.proposing, prompts_per_step=3, group_size=options.texts,
                                learning_rate=options.rate,
                                checkpoint_every=options.proposing)  # fmt: skip
            proposer, _ = stage_of(f"{name}-proposer-{turn}", proposer, asked([1, 2, 3]), game, home=home, seed=seed,
                                   stage=stage, sampling=WRITES)  # fmt: skip
        if name == "random":
            n = options.tasks // 3 + 1
            tasks = admitted("snippet", n, lambda task: task.split is Split.TRAIN, seed=100 + turn, judge=judge)
            tasks, told = tasks[: options.tasks], {}
        else:
            tasks, told = proposals(game, proposer, options.tasks, turn)
        known += game.accepted
        n_episodes += game.n_episodes
        stage = StageConfig(n_steps=options.steps, prompts_per_step=8, group_size=8, learning_rate=1e-3,
                            checkpoint_every=options.steps)  # fmt: skip
        solver, _ = stage_of(f"{name}-solver-{turn}", solver, tasks, judge, home=home, seed=seed, stage=stage)
        curve.append(solved(solver, heldout, judge))
        rounds.append(told | {"n_tasks": len(tasks), "refused": dict(game.refused)})
    result = {
        "seed": seed, "arm": name, "curve": [round(float(values.mean()), 3) for values in curve],
        "start": curve[0].tolist(), "end": curve[-1].tolist(), "mean": np.mean(curve[1:], 0).tolist(), "rounds": rounds,
        "n_trained": options.rounds * options.steps * 64, "n_episodes": n_episodes,
    }  # fmt: skip
    kept.write_text(json.dumps(result))
    return result


def against(rows: list[dict], base: str, key: str) -> dict[str, object]:
    """`trained` minus another arm over held-out tasks, seeds as clusters."""
    pairs = [(one, other) for one in rows if one["arm"] == "trained"
             for other in rows if other["arm"] == base and other["seed"] == one["seed"]]  # fmt: skip
    mine, theirs = ([value for pair in pairs for value in pair[side][key]] for side in (0, 1))
    found = compare(theirs, mine, [pair[0]["seed"] for pair in pairs for _ in pair[0][key]])
    each = [round(float(np.mean(one[key]) - np.mean(other[key])), 3) for one, other in pairs]
    return {
        "difference": round(found.difference, 3), "low": round(found.low, 3), "high": round(found.high, 3),
        "verdict": str(found.verdict), "by_seed": each,
    }  # fmt: skip


def is_held_out(task: Task) -> bool:
    return task.split is Split.HELDOUT


def main() -> None:
    """Prints a line for each arm and seed, and one JSON object last."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="nothing but the JSON object")
    parser.add_argument("--seeds", default="0:3")
    parser.add_argument("--arms", default=",".join(ARMS))
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--steps", type=int, default=6, help="steps of the solver a round")
    parser.add_argument("--proposing", type=int, default=6, help="steps of the proposer a round, in the arm `trained`")
    parser.add_argument("--texts", type=int, default=8, help="texts that the proposer writes for each level a step")
    parser.add_argument("--samples", type=int, default=6, help="episodes that price a proposal")
    parser.add_argument("--tasks", type=int, default=40, help="tasks that a round trains on")
    parser.add_argument("--rate", type=float, default=1e-3, help="learning rate of the proposer")
    parser.add_argument("--warm-steps", type=int, default=200)
    parser.add_argument("--proposer-steps", type=int, default=400)
    parser.add_argument("--per-level", type=int, default=10)
    parser.add_argument("--folder", type=Path, default=Path(".bench/proposer"))
    options = parser.parse_args()
    quiet()
    first, last = map(int, options.seeds.split(":"))
    rows = []
    with Judge(workers=1) as judge:
        heldout = admitted("snippet", options.per_level, is_held_out, seed=7, judge=judge)
        for seed in range(first, last):
            home = options.folder.resolve() / f"{options.rounds}x{options.steps}-{options.proposing}-{seed}"
            home.mkdir(parents=True, exist_ok=True)
            for name in options.arms.split(","):
                rows.append(arm(name, seed, home, heldout, judge, options))
                if not options.json:
                    told = " ".join(f"{round_.get('learnability', float('nan')):.2f}" for round_ in rows[-1]["rounds"])
                    print(f"seed {seed} {name:8} solved {rows[-1]['curve']} learnability {told}", flush=True)
    figures: dict[str, object] = {}
    for name in {row["arm"] for row in rows}:
        ends = [value for row in rows if row["arm"] == name for value in row["end"]]
        seeds = [row["seed"] for row in rows if row["arm"] == name for _ in row["end"]]
        end = clustered_interval(ends, seeds)
        figures[name] = {"end": round(end.value, 3), "interval": [round(end.low, 3), round(end.high, 3)]}
    for base in ("random", "frozen"):
        if {"trained", base} <= {row["arm"] for row in rows}:
            figures[f"trained - {base}"] = {key: against(rows, base, key) for key in ("end", "mean")}
    kept = ("seed", "arm", "curve", "rounds", "n_trained", "n_episodes")
    print(json.dumps({"rows": [{name: row[name] for name in kept} for row in rows], **figures}))


if __name__ == "__main__":
    main()
