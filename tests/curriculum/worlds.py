"""Pools and policies for scheduler tests."""

from __future__ import annotations

import numpy as np

from curriculum.schedulers import Draw, Group, Pool, Scheduler


def pool(n: int, n_arms: int = 12, seed: int = 0) -> Pool:
    rng = np.random.default_rng(seed)
    arm = np.arange(n) % n_arms if n < n_arms else rng.integers(0, n_arms, n)
    return Pool(
        task_ids=np.array([f"task-{seed}-{i}" for i in range(n)], dtype=object),
        arm=arm.astype(np.int32),
        arms=tuple(f"f{a // 4}/{a % 4}/made" for a in range(n_arms)),
        family=(np.arange(n_arms) // 4).astype(np.int32),
        level=(arm % 4).astype(np.int32),
        cost=rng.lognormal(0, 0.3, n),
    )


def groups(draws: list[Draw], rates: np.ndarray, rng: np.random.Generator, n: int = 8) -> list[Group]:
    return [Group(d.position, n, int(rng.binomial(n, rates[d.position])), d.reason == "frontier") for d in draws]


def train(scheduler: Scheduler, rates: np.ndarray, steps: range, batch: int = 16, seed: int = 0) -> list[list[Draw]]:
    """Draw and observe one batch behind, as the trainer does; returns every batch."""
    waiting: list[Group] = []
    drawn = []
    for step in steps:
        rng = np.random.default_rng([seed, step])
        if hasattr(scheduler, "reveal"):
            scheduler.reveal(rates)
        draws = scheduler.draw(batch, step)
        drawn.append(draws)
        if waiting:
            scheduler.observe(waiting, step)
        waiting = groups(draws, rates, rng)
    scheduler.observe(waiting, steps.stop)
    return drawn
