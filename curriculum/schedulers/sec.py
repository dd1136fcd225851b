"""SEC: a bandit over arms whose pay is the mean absolute advantage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import Field

from curriculum.schedulers.by_arm import ArmIndex, softmax
from curriculum.schedulers.dense import counts, number
from curriculum.schedulers.drawing import sound, stream
from curriculum.schedulers.protocol import Draw, Group, Pool
from curriculum.schedulers.registry import SchedulerConfig, require_tasks, scheduler
from warehouse.records import JsonValue


class SecConfig(SchedulerConfig):
    """Settings of SEC."""

    alpha: float = Field(0.5, gt=0, le=1)
    """Learning rate of an arm's value."""
    temperature: float = Field(0.2, gt=0)
    """Temperature of the softmax over values."""


@scheduler("sec")
class Sec:
    """Q(a) <- alpha r + (1 - alpha) Q(a), r the arm's mean |advantage|; arms by softmax(Q / T), tasks evenly.

    arXiv:2505.14970, eq. 3 and 5. A group of rate p has mean |advantage| 2 sqrt(p(1-p)) under std scaling.
    Arms are ours (family x level x source), where the paper uses difficulty or topic categories. Values start at 0.
    """

    name: str

    def __init__(self, pool: Pool, config: Mapping[str, JsonValue] | None = None, seed: int = 0) -> None:
        require_tasks(pool)
        self.config = SecConfig.model_validate(config or {})
        self._pool, self._seed, self._count = pool, seed, 0
        self._index = ArmIndex(pool)
        self.value = np.zeros(len(pool.arms))

    def draw(self, n: int, step: int) -> list[Draw]:
        rng = stream(self._seed, step, self._count)
        self._count += 1
        return self._index.draws(softmax(self.value, self.config.temperature), n, rng, self.value, "sec")

    def observe(self, groups: Sequence[Group], step: int) -> None:
        del step
        position, n, c = counts(sound(groups, len(self._pool)))
        if len(position) == 0:
            return
        arm = self._pool.arm[position]
        rate = c / n
        pay = np.bincount(arm, weights=2 * np.sqrt(rate * (1 - rate)), minlength=len(self.value))
        seen = np.bincount(arm, minlength=len(self.value))
        hit = seen > 0
        self.value[hit] += self.config.alpha * (pay[hit] / seen[hit] - self.value[hit])

    def state(self) -> JsonValue:
        return {"count": self._count, "value": dict(zip(self._pool.arms, self.value.tolist(), strict=True))}

    def restore(self, state: JsonValue) -> None:
        self._count = int(number(state, "count"))
        values = state["value"] if isinstance(state, Mapping) else {}
        self.value = np.array([number(values, arm) for arm in self._pool.arms])
