"""Rollouts to target of a scheduler against uniform over many worlds, with intervals."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from scipy import stats

from curriculum.simulator.priors import BATCH, GROUP, STEPS, TARGET_SHARE
from curriculum.simulator.run import Curve, run
from curriculum.simulator.world import World
from warehouse.records import JsonValue

Mapper = Callable[[Callable[["Job"], "Trial"], Iterable["Job"]], Iterable["Trial"]]


class Job(NamedTuple):
    """One world to run one scheduler in."""

    scheduler: str
    pool: str
    seed: int
    config: Mapping[str, JsonValue] | None
    n_tasks: int | None


class Trial(NamedTuple):
    """One world's outcome: rollouts to the target (infinite if never within the budget), uniform's, mixed shares."""

    seed: int
    target: float
    rollouts: float
    uniform: float
    mixed: float
    uniform_mixed: float


class Comparison(NamedTuple):
    """Geometric means over worlds; `ratio` = uniform / scheduler with a 95 % t-interval on its logarithm."""

    rollouts_to_target: float
    uniform: float
    ratio: float
    low: float
    high: float
    n: int
    n_missed: int


def target_of(curve: Curve) -> float:
    """The start plus `TARGET_SHARE` of uniform's gain, taken as the mean of its last 10 updates."""
    start = float(curve.score[0])
    return start + TARGET_SHARE * (float(curve.score[-10:].mean()) - start)


def trial(job: Job) -> Trial:
    """Run uniform and the scheduler in equal worlds with equal noise seeds; both stop at 1.5 times uniform's budget."""
    budget = BATCH * GROUP * STEPS
    base = _uniform(job.pool, job.seed, job.n_tasks)
    target = target_of(base)
    world = World(job.pool, job.seed, n_tasks=job.n_tasks)
    curve = run(job.scheduler, world, job.seed, config=job.config, budget=round(1.5 * budget), until=target)
    return Trial(job.seed, target, curve.to_reach(target), base.to_reach(target), curve.mixed, base.mixed)


@lru_cache(maxsize=512)
def _uniform(pool: str, seed: int, n_tasks: int | None) -> Curve:
    return run("uniform", World(pool, seed, n_tasks=n_tasks), seed, budget=BATCH * GROUP * STEPS)


def summary(trials: Sequence[Trial]) -> Comparison:
    """Ratios of worlds as one figure; a world that missed the target counts with the whole budget, never dropped.

    Where uniform gains nothing the target is the start, and both are there without a rollout: a tie, counted as one
    update each.
    """
    budget, update = 1.5 * BATCH * GROUP * STEPS, float(BATCH * GROUP)
    spent = np.array([(t.rollouts or update) if np.isfinite(t.rollouts) else budget for t in trials])
    base = np.array([t.uniform or update for t in trials])
    logs = np.log(base / spent)
    n = len(logs)
    half = float(stats.t.ppf(0.975, n - 1) * logs.std(ddof=1) / np.sqrt(n)) if n > 1 else float("inf")
    mean = float(logs.mean())
    return Comparison(
        float(np.exp(np.log(spent).mean())),
        float(np.exp(np.log(base).mean())),
        float(np.exp(mean)),
        float(np.exp(mean - half)),
        float(np.exp(mean + half)),
        n,
        int(sum(not np.isfinite(t.rollouts) for t in trials)),
    )


def simulate(
    scheduler: str,
    pool: str,
    seeds: Iterable[int],
    *,
    config: Mapping[str, JsonValue] | None = None,
    n_tasks: int | None = None,
    mapper: Mapper = map,
) -> dict[str, float | int]:
    """Rollouts to target of `scheduler` against uniform, and the oracle's ratio, over worlds drawn by `seeds`.

    Every rollout counts: explorations, probes, discards, replays. `ratio` above 1 is fewer than uniform; `low` and
    `high` a 95 % interval over worlds. `mapper` may run worlds in parallel. Raises `UserError` for unknown names.
    """
    chosen = list(seeds)
    ours = summary(list(mapper(trial, [Job(scheduler, pool, seed, config, n_tasks) for seed in chosen])))
    best = summary(list(mapper(trial, [Job("oracle", pool, seed, None, n_tasks) for seed in chosen])))
    return {
        "rollouts_to_target": ours.rollouts_to_target,
        "uniform": ours.uniform,
        "ratio": ours.ratio,
        "low": ours.low,
        "high": ours.high,
        "oracle_ratio": best.ratio,
        "n_seeds": ours.n,
        "n_missed": ours.n_missed,
    }
