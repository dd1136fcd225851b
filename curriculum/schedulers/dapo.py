"""DAPO dynamic sampling: uniform, but groups without gradient are thrown away and sampled again."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from curriculum.schedulers.dense import number
from curriculum.schedulers.drawing import filled
from curriculum.schedulers.protocol import Draw, Group, Pool
from curriculum.schedulers.registry import SchedulerConfig, require_tasks, scheduler
from warehouse.records import JsonValue


@scheduler("dapo")
class Dapo:
    """Walks through shuffled epochs; `refills` asks the caller to keep drawing until a batch is all mixed.

    Constraint 0 < |{passes}| < G (arXiv:2503.14476, eq. 11). Whoever runs it counts every discarded rollout and
    caps the rounds, as in the reference code. Departure: surplus mixed groups are thrown away, not kept over.
    """

    name: str
    refills = True

    def __init__(self, pool: Pool, config: Mapping[str, JsonValue] | None = None, seed: int = 0) -> None:
        require_tasks(pool)
        self.config = SchedulerConfig.model_validate(config or {})
        self._size, self._seed, self._cursor = len(pool), seed, 0

    def draw(self, n: int, step: int) -> list[Draw]:
        del step
        chosen: list[int] = []
        while len(chosen) < min(n, self._size):
            epoch, place = divmod(self._cursor, self._size)
            order = np.random.default_rng([self._seed, epoch]).permutation(self._size)
            part = [int(i) for i in order[place : place + n - len(chosen)]]
            self._cursor += len(part)
            chosen += [i for i in part if i not in chosen]
        return filled([Draw(i, float("nan"), n / self._size, "uniform") for i in chosen], n)

    def observe(self, groups: Sequence[Group], step: int) -> None:
        del groups, step

    def state(self) -> JsonValue:
        return {"cursor": self._cursor}

    def restore(self, state: JsonValue) -> None:
        self._cursor = int(number(state, "cursor"))
