"""Does a policy learn to use tools, or these tools? Solve rate and behaviour on seen, unseen and foreign tool names.

    python benchmarks/agent_tools.py --json --seeds 0:3          a CPU minute a seed and form on one core

A policy from scratch imitates few scripted trajectories on pocket tool sets, a third of them hasty ones, and goes on by
GRPO on tools of the train families. It is measured before and after on new tasks with tools of those (`seen`),
of families whose names it has never met while it has met their syllables (`unseen`), and of families of syllables
that XX by family of names. The last line is one JSON object. What is finished lies in `--folder` and is not done again.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from agent_lab import admitted, played, stage_of
from quiet import quiet

from curriculum.estimates import clustered_interval, compare, pass_at_k
from synth.environments.gadgets.making import FORMS, needed
from synth.environments.measures import behaviour
from synth.graders import Judge
from trainer import policies
from trainer.config import StageConfig, WarmStartConfig
from trainer.pocket_agent import TOOLS, warm_started
from warehouse.records import Judgement, Rollout, Split, Task

FAMILIES = {form.told: family for family, form in FORMS.items() if form.kind == "known"}
N_SAMPLES = 8
TOLD = ("tool_choice", "refused_rate", "recovery", "violation_rate", "mean_turns", "mean_tokens", "p50_latency_s",
        "p95_latency_s")  # fmt: skip


def groups(form: str, per_level: int, judge: Judge) -> dict[str, list[Task]]:
    """Tasks that nothing trains on: with tools of train families, of held-out ones, and of foreign ones."""
    own = FAMILIES[form]
    kept = {"seen": (own, Split.TRAIN), "unseen": (own, Split.HELDOUT), "foreign": ("gadget_foreign", Split.HELDOUT)}
    return {
        name: admitted(family, per_level, lambda task, split=split: task.split is split, seed=11, judge=judge)
        for name, (family, split) in kept.items()
        if name != "foreign" or form == "found"
    }


def passes(rows: Sequence[Rollout]) -> np.ndarray:
    """Solved episodes of each task."""
    return np.array([row.judgement is Judgement.PASS for row in rows]).reshape(-1, N_SAMPLES).sum(1)


def told(tasks: Sequence[Task], before: Sequence[Rollout], after: Sequence[Rollout]) -> dict[str, object]:
    """Solve rate, pass@k and behaviour, before and after, with what changed."""
    families = [str(task.params["tool_family"]) for task in tasks]
    need = {task.task_id: needed(task) for task in tasks}
    found: dict[str, object] = {"n_tasks": len(tasks), "n_families": len(set(families))}
    counts = [passes(rows) for rows in (before, after)]
    for k in (1, N_SAMPLES):
        values = [pass_at_k(np.full(len(own), N_SAMPLES), own, k) for own in counts]
        ends = [clustered_interval(own, families) for own in values]
        change = compare(values[0], values[1], families)
        found[f"pass@{k}"] = {
            "before": round(ends[0].value, 3), "after": round(ends[1].value, 3),
            "after_interval": [round(ends[1].low, 3), round(ends[1].high, 3)],
            "difference": round(change.difference, 3), "low": round(change.low, 3), "high": round(change.high, 3),
        }  # fmt: skip
    for when, rows in (("before", before), ("after", after)):
        seen = behaviour(rows, need)._asdict()
        found[when] = {name: None if seen[name] is None else round(seen[name], 4) for name in TOLD}
    levels = np.array([task.level for task in tasks])
    found["after_by_level"] = {
        int(level): round(float(counts[1][levels == level].mean() / N_SAMPLES), 3) for level in sorted(set(levels))
    }
    return found


def one(form: str, seed: int, judge: Judge, options: argparse.Namespace) -> dict[str, object]:
    """One policy from scratch, warm-started and trained, and what it does with tools of each group."""
    home = options.folder.resolve() / f"{form}-{options.scripts}-{options.warm_steps}-{options.steps}-{seed}"
    kept, warm = home / "result.json", home / "warm"
    if kept.is_file():
        return json.loads(kept.read_text())
    began = time.process_time()
    if not (warm / "config.json").is_file():
        config = WarmStartConfig(
            n_steps=options.warm_steps, batch_size=32, learning_rate=options.warm_rate, n_scripts=options.scripts,
            level_weights=(4, 3, 3, 3, 1), cheat_rate=options.hasty,
        )  # fmt: skip
        fresh = policies.fresh_pocket_tools(seed)
        policies.save(warm_started(fresh, config, judge.pool, seed=seed, families=[FAMILIES[form]]).policy, warm)
    warm_s = time.process_time() - began
    train = admitted(FAMILIES[form], 60, lambda task: task.split is Split.TRAIN, seed=7, judge=judge)
    stage = StageConfig(
        n_steps=options.steps, prompts_per_step=8, group_size=8, learning_rate=options.rate,
        checkpoint_every=options.steps,
    )  # fmt: skip
    trained, grpo_s = stage_of("grpo", warm, train, judge, home=home, seed=seed, stage=stage, sampling=TOOLS)
    found = {
        name: told(tasks, *(played(folder, tasks, judge, n=N_SAMPLES, sampling=TOOLS) for folder in (warm, trained)))
        for name, tasks in groups(form, options.per_level, judge).items()
    }
    result = {
        "form": form, "seed": seed, "warm_start_cpu_s": round(warm_s, 1), "grpo_cpu_s": round(grpo_s, 1),
        "groups": found,
    }  # fmt: skip
    kept.write_text(json.dumps(result))
    return result


def lines(row: dict) -> str:
    """A line for each group of tools."""
    out = []
    for name, own in row["groups"].items():
        first, k = own["pass@1"], own[f"pass@{N_SAMPLES}"]
        cells = [f"{row['form']:6} seed {row['seed']} {name:7}",
                 f"solved {first['before']:.2f} -> {first['after']:.2f} [{first['low']:+.2f}, {first['high']:+.2f}]",
                 f"pass@{N_SAMPLES} {k['before']:.2f} -> {k['after']:.2f}"]  # fmt: skip
        for label, key in (("choice", "tool_choice"), ("recovery", "recovery"), ("violations", "violation_rate"),
                           ("turns", "mean_turns")):  # fmt: skip
            pair = [own[when][key] for when in ("before", "after")]
            cells.append(f"{label} " + " -> ".join("-" if value is None else f"{value:.2f}" for value in pair))
        out.append(" | ".join(cells))
    return "\n".join(out)


def main() -> None:
    """Prints a table, and one JSON object last."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", action="store_true", help="nothing but the JSON object")
    parser.add_argument("--seeds", default="0:3")
    parser.add_argument("--forms", default="found,listed")
    parser.add_argument("--scripts", type=int, default=600, help="scripted trajectories of the warm start")
    parser.add_argument("--hasty", type=float, default=0.35, help="share of them that are hasty")
    parser.add_argument("--warm-steps", type=int, default=300)
    parser.add_argument("--warm-rate", type=float, default=4e-3)
    parser.add_argument("--steps", type=int, default=24)
    parser.add_argument("--rate", type=float, default=1e-3)
    parser.add_argument("--per-level", type=int, default=6)
    parser.add_argument("--folder", type=Path, default=Path(".bench/agent_tools"))
    options = parser.parse_args()
    quiet()
    first, last = map(int, options.seeds.split(":"))
    rows = []
    with Judge(workers=1) as judge:
        for form in options.forms.split(","):
            for seed in range(first, last):
                rows.append(one(form, seed, judge, options))
                if not options.json:
                    print(lines(rows[-1]), flush=True)
    print(json.dumps({"rows": rows}))


if __name__ == "__main__":
    main()
