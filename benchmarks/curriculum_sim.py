"""Every scheduler in every pool of learner worlds: rollouts to target against uniform, with intervals."""

from __future__ import annotations

import argparse
import json
import sys
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from informed_frontier import InformedFrontier
from rich.console import Console
from rich.table import Table

from curriculum.schedulers import names
from curriculum.simulator import POOLS, REPORTING_SEEDS, Job, summary, trial

TUNED: dict[str, tuple[str, dict[str, float]]] = {
    "sec*": ("sec", {"alpha": 0.2, "temperature": 0.1}),
    "adarft*": ("adarft", {"eta": 5.0, "start": 50.0}),
    "dump*": ("dump", {"temperature": 0.05}),
    "mopps*": ("mopps", {"multiple": 16}),
    "greso*": ("greso", {"delta": 0.05}),
}
"""Baselines with their best settings of a sweep on the tuning seeds; without a star they run as published."""
SANITY = {"dapo": (0.9, 1.05), "sec": (1.4, 1.8), "mopps": (1.1, 1.4)}
REACH = {"mixed": 2.0, "hard": 2.0, "easy": 2.0, "shuffled": 1.3}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--n-seeds", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--pools", default=",".join(POOLS))
    parser.add_argument("--schedulers", default="")
    parser.add_argument("--n-tasks", type=int, default=None)
    parser.add_argument("--workers", type=int, default=2)
    args = parser.parse_args()
    seeds = range(args.first_seed, args.first_seed + args.n_seeds)
    kind = "reporting" if seeds.start in REPORTING_SEEDS and seeds[-1] in REPORTING_SEEDS else "tuning"
    chosen = args.schedulers.split(",") if args.schedulers else [n for n in names() if n != "uniform"] + list(TUNED)
    table: dict[str, dict[str, dict[str, float]]] = {}
    with ProcessPoolExecutor(args.workers) as workers:
        for pool in args.pools.split(","):
            table[pool] = {}
            for name in chosen:
                base, config = TUNED.get(name, (name, {}))
                jobs = [Job(base, pool, seed, config, args.n_tasks) for seed in seeds]
                trials = list(workers.map(trial, jobs))
                row = summary(trials)
                table[pool][name] = {
                    **{k: round(v, 4) for k, v in row._asdict().items()},
                    "mixed": round(float(np.mean([t.mixed for t in trials])), 3),
                    "uniform_mixed": round(float(np.mean([t.uniform_mixed for t in trials])), 3),
                }
                print(f"{pool} {name} {row.ratio:.2f} [{row.low:.2f}, {row.high:.2f}]", file=sys.stderr, flush=True)
    verdicts = {pool: verdict(pool, rows) for pool, rows in table.items()}
    if args.json:
        print(json.dumps({"seeds": [seeds.start, seeds.stop], "kind": kind, "vs_uniform": table, "reach": verdicts}))
        return
    show(table)
    print(json.dumps(verdicts, indent=1))


def verdict(pool: str, rows: dict[str, dict[str, float]]) -> dict[str, object]:
    """What the default reaches in one pool, and whether the yardsticks are where they should be."""
    sanity = {n: [rows[n]["ratio"], low <= rows[n]["ratio"] <= high] for n, (low, high) in SANITY.items() if n in rows}
    out: dict[str, object] = {"sanity": sanity}
    if "frontier" not in rows:
        return out
    ours = rows["frontier"]
    bounds = ("oracle", InformedFrontier.name)
    others = {n: r["ratio"] for n, r in rows.items() if n not in ("frontier", "beta_frontier", *bounds)}
    out["low_end_vs_uniform"], out["wanted"] = ours["low"], REACH[pool]
    if others:
        best = max(others, key=lambda n: others[n])
        out["best_baseline"], out["ratio_vs_best_baseline"] = best, round(ours["ratio"] / others[best], 3)
    for bound in bounds:
        if bound in rows:
            out[f"share_of_{bound}_gain"] = round((ours["ratio"] - 1) / (rows[bound]["ratio"] - 1), 3)
    return out


def show(table: dict[str, dict[str, dict[str, float]]]) -> None:
    for pool, rows in table.items():
        shown = Table(title=f"{pool}: rollouts to target, uniform / scheduler")
        for column in ("scheduler", "ratio", "95 % interval", "mixed groups", "missed"):
            shown.add_column(column)
        for name, row in sorted(rows.items(), key=lambda item: -item[1]["ratio"]):
            interval = f"{row['low']:.2f} to {row['high']:.2f}"
            shown.add_row(name, f"{row['ratio']:.2f}", interval, f"{row['mixed']:.2f}", str(row["n_missed"]))
        Console().print(shown)


if __name__ == "__main__":
    main()
