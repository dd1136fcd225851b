"""AdaRFT: a target difficulty that follows the reward, and the tasks nearest to it."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import Field

from curriculum.schedulers.dense import counts, number
from curriculum.schedulers.drawing import filled, sound, stream, top_k
from curriculum.schedulers.protocol import Draw, Group, Pool
from curriculum.schedulers.registry import SchedulerConfig, require_tasks, scheduler
from warehouse.records import JsonValue


class AdarftConfig(SchedulerConfig):
    """Settings of AdaRFT; difficulties are levels scaled to [0, 100]."""

    eta: float = Field(50.0, gt=0)
    """Step size of the target difficulty."""
    alpha: float = Field(2.0, gt=0)
    """Slope of the reward's effect."""
    beta: float = Field(0.5, ge=0, le=1)
    """Target reward."""
    start: float = Field(0.0, ge=0, le=100)
    """Target difficulty at the start."""


@scheduler("adarft")
class Adarft:
    """T <- clip(T + eta tanh(alpha (R - beta)), 0, 100); draws the n tasks with the least |difficulty - T|.

    arXiv:2504.05520, algorithm 1 and eq. 2. Difficulty is the offline label, here the generator's level.
    Departure: ties, frequent among levels, are broken at random.
    """

    name: str

    def __init__(self, pool: Pool, config: Mapping[str, JsonValue] | None = None, seed: int = 0) -> None:
        require_tasks(pool)
        self.config = AdarftConfig.model_validate(config or {})
        self._seed, self._count, self.target = seed, 0, self.config.start
        low, high = int(pool.level.min()), int(pool.level.max())
        self._difficulty = 100.0 * (pool.level - low) / max(high - low, 1)

    def draw(self, n: int, step: int) -> list[Draw]:
        rng = stream(self._seed, step, self._count)
        self._count += 1
        gap = np.abs(self._difficulty - self.target)
        best = top_k(-gap - 1e-6 * rng.random(len(gap)), min(n, len(gap)))
        return filled([Draw(int(i), float("nan"), -float(gap[i]), "adarft") for i in best], n)

    def observe(self, groups: Sequence[Group], step: int) -> None:
        del step
        _, n, c = counts(sound(groups, len(self._difficulty)))
        if len(n):
            reward = float((c / n).mean())
            moved = self.target + self.config.eta * math.tanh(self.config.alpha * (reward - self.config.beta))
            self.target = min(100.0, max(0.0, moved))

    def state(self) -> JsonValue:
        return {"count": self._count, "target": self.target}

    def restore(self, state: JsonValue) -> None:
        self._count, self.target = int(number(state, "count")), number(state, "target")
