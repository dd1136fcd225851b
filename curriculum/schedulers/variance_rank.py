"""Variance rank: the tasks whose accuracy has moved most over the run, as in 1-shot RLVR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import Field

from curriculum.schedulers.dense import counts, number, packed, unpack
from curriculum.schedulers.drawing import filled, sound, stream, top_k
from curriculum.schedulers.protocol import Draw, Group, Pool
from curriculum.schedulers.registry import SchedulerConfig, require_tasks, scheduler
from warehouse.records import JsonValue


class VarianceRankConfig(SchedulerConfig):
    """Settings of the variance rank."""

    share: float = Field(0.5, ge=0, le=1)
    """Share of a batch from the top of the rank; the rest is uniform and keeps histories growing."""
    pool_share: float = Field(0.1, gt=0, le=1)
    """Share of the tried tasks, best rank first, that the top is drawn from."""


@scheduler("variance_rank")
class VarianceRank:
    """Ranks tasks by the standard deviation of their accuracy history (arXiv:2504.20571, eq. 2).

    Departure: the paper ranks once, after a full run; here the history grows as groups come in (sums of c/G and
    its square), and a share of each batch stays uniform. A task with one group has variance 0.
    """

    name: str

    def __init__(self, pool: Pool, config: Mapping[str, JsonValue] | None = None, seed: int = 0) -> None:
        require_tasks(pool)
        self.config = VarianceRankConfig.model_validate(config or {})
        self._pool, self._seed, self._count = pool, seed, 0
        self._columns = {name: np.zeros(len(pool)) for name in ("n", "first", "second")}

    def deviations(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """Standard deviation of each task's accuracy history; 0 for fewer than two groups."""
        n = np.maximum(self._columns["n"], 1)
        mean = self._columns["first"] / n
        return np.sqrt(np.maximum(self._columns["second"] / n - mean**2, 0.0))

    def draw(self, n: int, step: int) -> list[Draw]:
        rng = stream(self._seed, step, self._count)
        self._count += 1
        deviation = self.deviations()
        tried = int((self._columns["n"] >= 2).sum())
        top = top_k(np.where(deviation > 0, deviation, -np.inf), max(n, int(self.config.pool_share * tried)))
        n_top = min(round(self.config.share * n), len(top))
        ranked = rng.choice(top, size=n_top, replace=False) if n_top else top[:0]
        rest = np.setdiff1d(np.arange(len(self._pool)), ranked)
        even = rng.choice(rest, size=min(n - n_top, len(rest)), replace=False)
        draws = [Draw(int(i), float("nan"), float(deviation[i]), "variance_rank") for i in ranked]
        return filled(draws + [Draw(int(i), float("nan"), float(deviation[i]), "uniform") for i in even], n)

    def observe(self, groups: Sequence[Group], step: int) -> None:
        del step
        position, n, c = counts(sound(groups, len(self._pool)))
        if len(position):
            np.add.at(self._columns["n"], position, 1.0)
            np.add.at(self._columns["first"], position, c / n)
            np.add.at(self._columns["second"], position, (c / n) ** 2)

    def state(self) -> JsonValue:
        return {"count": self._count, "tasks": packed(self._pool, self._columns)}

    def restore(self, state: JsonValue) -> None:
        self._count = int(number(state, "count"))
        if isinstance(state, Mapping):
            unpack(self._pool, state["tasks"], self._columns)
