"""DUMP: upper confidence bounds over arms, paid by the mean absolute advantage."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import Field

from curriculum.schedulers.by_arm import ArmIndex, softmax
from curriculum.schedulers.dense import counts, number
from curriculum.schedulers.drawing import sound, stream
from curriculum.schedulers.protocol import Draw, Group, Pool
from curriculum.schedulers.registry import SchedulerConfig, require_tasks, scheduler
from warehouse.records import JsonValue


class DumpConfig(SchedulerConfig):
    """Settings of DUMP."""

    window: int = Field(300, ge=1, le=1_000_000)
    """Latest rollouts of an arm whose |advantage| is averaged."""
    temperature: float = Field(0.1, gt=0)
    """Temperature of the softmax over bounds."""


@scheduler("dump")
class Dump:
    """UCB(a) = mean |advantage| in a window + sqrt(2 ln(n_total + 1) / (n_a + 1)); arms by softmax(UCB / T).

    arXiv:2504.09710, eq. 4 and 5. n counts rollouts, as in the paper. Departure: none known but that advantages
    are those of std scaling, 2 sqrt(p(1-p)) for a group of rate p.
    """

    name: str

    def __init__(self, pool: Pool, config: Mapping[str, JsonValue] | None = None, seed: int = 0) -> None:
        require_tasks(pool)
        self.config = DumpConfig.model_validate(config or {})
        self._pool, self._seed, self._count = pool, seed, 0
        self._index = ArmIndex(pool)
        size = max(1, self.config.window // self.config.group)
        self._windows: list[deque[float]] = [deque(maxlen=size) for _ in pool.arms]
        self._n = np.zeros(len(pool.arms))

    def bounds(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Each arm's upper confidence bound."""
        mean = np.array([sum(w) / len(w) if w else 0.0 for w in self._windows])
        return np.asarray(mean + np.sqrt(2 * np.log(self._n.sum() + 1) / (self._n + 1)))

    def draw(self, n: int, step: int) -> list[Draw]:
        rng = stream(self._seed, step, self._count)
        self._count += 1
        bounds = self.bounds()
        return self._index.draws(softmax(bounds, self.config.temperature), n, rng, bounds, "dump")

    def observe(self, groups: Sequence[Group], step: int) -> None:
        del step
        position, n, c = counts(sound(groups, len(self._pool)))
        for arm, size, passes in zip(self._pool.arm[position], n, c, strict=True):
            rate = passes / size
            self._windows[arm].append(float(2 * np.sqrt(rate * (1 - rate))))
            self._n[arm] += size

    def state(self) -> JsonValue:
        windows: dict[str, JsonValue] = {a: list(w) for a, w in zip(self._pool.arms, self._windows, strict=True)}
        n = dict(zip(self._pool.arms, self._n.tolist(), strict=True))
        return {"count": self._count, "windows": windows, "n": n}

    def restore(self, state: JsonValue) -> None:
        if not isinstance(state, Mapping):
            return
        self._count = int(number(state, "count"))
        windows = state["windows"]
        for arm, window in zip(self._pool.arms, self._windows, strict=True):
            values = windows.get(arm, ()) if isinstance(windows, Mapping) else ()
            window.clear()
            window.extend(np.asarray(values, dtype=np.float64).tolist())
        self._n = np.array([number(state["n"], arm) for arm in self._pool.arms])
