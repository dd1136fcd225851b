"""The figures of `collapse_live.py`: ends with their intervals, differences to plain, curves, and what was done."""

from __future__ import annotations

from typing import Any

import numpy as np

from curriculum.estimates import pass_at_k

SAMPLES = 16
"""Samples of each held-out task."""
DRAWS = 2000
"""Draws of the bootstrap."""


def pass_rates(run: dict, when: str, k: int) -> np.ndarray:
    counts = np.array(run[when])
    return pass_at_k(np.full(len(counts), SAMPLES), counts, k)


def bootstrap(values: list[np.ndarray]) -> dict[str, float]:
    """Mean over seeds and tasks of one array of task values a seed, with its 95 % interval."""
    rng, means = np.random.default_rng(0), []
    for _ in range(DRAWS):
        seeds = rng.integers(len(values), size=len(values))
        means.append(np.mean([values[s][rng.integers(len(values[s]), size=len(values[s]))].mean() for s in seeds]))
    low, high = np.percentile(means, [2.5, 97.5])
    mean = float(np.mean([value.mean() for value in values]))
    return {"value": round(mean, 4), "low": round(float(low), 4), "high": round(float(high), 4), "n": len(values)}


def table_of(runs: dict[tuple[str, int], dict]) -> dict[str, Any]:
    """Each arm's figures, its difference to plain over the seeds that both have, and its share of plain's gain."""
    table: dict[str, Any] = {}
    for arm in dict.fromkeys(arm for arm, _ in runs):
        seeds = sorted(seed for name, seed in runs if name == arm)
        both = [seed for seed in seeds if ("plain", seed) in runs]
        row: dict[str, Any] = {"seeds": seeds, "rollouts": [runs[arm, seed]["rollouts"] for seed in seeds]}
        for k in (1, 8):
            ends = {seed: pass_rates(runs[arm, seed], "after", k) for seed in seeds}
            starts = {seed: pass_rates(runs[arm, seed], "before", k) for seed in seeds}
            row[f"pass@{k} start"] = bootstrap(list(starts.values()))
            row[f"pass@{k}"] = bootstrap(list(ends.values()))
            if both and arm != "plain":
                plain = {seed: pass_rates(runs["plain", seed], "after", k) for seed in both}
                row[f"pass@{k} - plain"] = bootstrap([ends[seed] - plain[seed] for seed in both])
                gains = [float(np.mean([side[s].mean() - starts[s].mean() for s in both])) for side in (ends, plain)]
                row[f"pass@{k} share_of_plain's_gain"] = round(gains[0] / gains[1], 3) if gains[1] > 0.02 else None
        table[arm] = row
    return table


def swept(runs: dict[tuple[str, int], dict]) -> dict[str, Any] | None:
    """The fixed settings with the largest pass@1 + pass@8 on the sweep's seed, and the rollouts that it cost."""
    seed = min((seed for _, seed in runs), default=0)
    found = {arm: run for (arm, own), run in runs.items() if arm.startswith("fixed") and own == seed}
    if not found:
        return None
    worth = {arm: sum(float(pass_rates(run, "after", k).mean()) for k in (1, 8)) for arm, run in found.items()}
    best = max(worth, key=lambda arm: worth[arm])
    return {
        "best": best,
        "tried": len(found),
        "sweep_rollouts": sum(r["rollouts"] for r in found.values()),
    }


def show(setup: str, table: dict[str, Any], runs: dict[tuple[str, int], dict]) -> None:
    for arm, row in table.items():
        print(f"\n{setup} {arm}: seeds {row['seeds']}")
        for name, value in row.items():
            if isinstance(value, dict):
                print(f"  {name:22s} {value['value']:+.3f} [{value['low']:+.3f}, {value['high']:+.3f}]")
        for (own, seed), run in runs.items():
            for point in run["curve"] if own == arm else ():
                print("    seed {} {rollouts:6d} rollouts  pass@1 {pass@1:.3f}  pass@8 {pass@8:.3f}  "
                      "entropy {entropy:.3f}".format(seed, **point))  # fmt: skip
            for event in run["events"] if own == arm else ():
                if event.get("applied"):
                    print(f"    seed {seed} {event['action']}: {event['before']} -> {event['after']}")
