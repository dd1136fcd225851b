"""Easy to hard: a fixed order by the generator's level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import Field

from curriculum.schedulers.dense import number
from curriculum.schedulers.drawing import filled, stream
from curriculum.schedulers.protocol import Draw, Group, Pool
from curriculum.schedulers.registry import SchedulerConfig, require_tasks, scheduler
from warehouse.records import JsonValue


class EasyToHardConfig(SchedulerConfig):
    """Settings of the fixed order."""

    horizon: int = Field(400, ge=1)
    """Steps over which the window moves from the easiest to the hardest tasks."""
    start: float = Field(0.3, gt=0, le=1)
    """Share of the pool, easiest first, that is open at step 0."""


@scheduler("easy_to_hard")
class EasyToHard:
    """Draws uniformly from the easiest share start + (1 - start) * step / horizon of the pool, by level.

    Curriculum learning by a pacing function (Bengio et al. 2009; pacing as in arXiv:1904.03626, section 3).
    Departure: ties within a level are broken by a random order fixed by the seed.
    """

    name: str

    def __init__(self, pool: Pool, config: Mapping[str, JsonValue] | None = None, seed: int = 0) -> None:
        require_tasks(pool)
        self.config = EasyToHardConfig.model_validate(config or {})
        self._seed, self._count = seed, 0
        self._order = np.lexsort((np.random.default_rng([seed, len(pool)]).random(len(pool)), pool.level))

    def n_open(self, step: int) -> int:
        """How many tasks, easiest first, are open at `step`."""
        share = self.config.start + (1 - self.config.start) * min(1.0, step / self.config.horizon)
        return max(1, round(share * len(self._order)))

    def draw(self, n: int, step: int) -> list[Draw]:
        rng = stream(self._seed, step, self._count)
        self._count += 1
        size = max(self.n_open(step), min(n, len(self._order)))
        chosen = self._order[rng.choice(size, size=min(n, size), replace=False)]
        return filled([Draw(int(i), float("nan"), n / size, "easy_to_hard") for i in chosen], n)

    def observe(self, groups: Sequence[Group], step: int) -> None:
        del groups, step

    def state(self) -> JsonValue:
        return {"count": self._count}

    def restore(self, state: JsonValue) -> None:
        self._count = int(number(state, "count"))
