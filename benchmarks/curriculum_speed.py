"""How long a draw of 512 takes from a million and from ten million tasks, posterior included, and what state costs."""

from __future__ import annotations

import argparse
import json
import resource
import sys
import time

import numpy as np

from curriculum.schedulers import Group, Pool, get

N_ARMS, DRAW = 64, 512


def pool_of(n: int) -> Pool:
    rng = np.random.default_rng(0)
    arm = rng.integers(0, N_ARMS, n, dtype=np.int32)
    ids = np.arange(n).astype(object)
    family = np.arange(N_ARMS, dtype=np.int32) // 8
    arms = tuple(f"f{a // 8}/{a % 8}/made" for a in range(N_ARMS))
    return Pool(ids, arm, arms, family, arm % 8, np.ones(n))


def measure(n: int, n_seen: int, repeats: int) -> dict[str, float]:
    pool, rng = pool_of(n), np.random.default_rng(1)
    start = time.perf_counter()
    scheduler = get("frontier")(pool, None, 0)
    built = time.perf_counter() - start
    rate = rng.random(N_ARMS)
    seen = rng.choice(n, size=n_seen, replace=False)
    step, observing, n_groups = 0, 0.0, 0
    for part in np.array_split(seen, max(1, n_seen // 20_000)):
        c = rng.binomial(8, rate[pool.arm[part]])
        groups = [Group(int(i), 8, int(k), False) for i, k in zip(part, c, strict=True)]
        start = time.perf_counter()
        scheduler.observe(groups, step)
        observing += time.perf_counter() - start
        n_groups += len(groups)
        step += 1
    scheduler.draw(DRAW, step)
    took, used = [], []
    for i in range(repeats):
        start, cpu = time.perf_counter(), time.process_time()
        draws = scheduler.draw(DRAW, step + 1 + i)
        took.append(time.perf_counter() - start)
        used.append(time.process_time() - cpu)
        scheduler.observe([Group(d.position, 8, 4, True) for d in draws], step + 1 + i)
    return {
        "n_tasks": n,
        "n_seen": n_seen,
        "build_s": round(built, 3),
        "draw_median_s": round(float(np.median(took)), 4),
        "draw_cpu_median_s": round(float(np.median(used)), 4),
        "groups_observed_per_s": round(n_groups / observing),
        "peak_memory_gb": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6, 2),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--repeats", type=int, default=9)
    args = parser.parse_args()
    rows = []
    for n, n_seen in ((1_000_000, 50_000), (1_000_000, 500_000), (10_000_000, 100_000)):
        rows.append(measure(n, n_seen, args.repeats))
        print(rows[-1], file=sys.stderr, flush=True)
    if args.json:
        print(json.dumps({"draw_of_512": rows}))


if __name__ == "__main__":
    main()
