"""VCRL: keeps groups of high variance, and replays such tasks from a memory bank."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import Field

from curriculum.schedulers.dense import counts, number, packed, unpack
from curriculum.schedulers.drawing import filled, sound, stream, top_k
from curriculum.schedulers.protocol import Draw, Group, Pool
from curriculum.schedulers.registry import SchedulerConfig, require_tasks, scheduler
from warehouse.records import JsonValue


class VcrlConfig(SchedulerConfig):
    """Settings of VCRL."""

    kappa: float = Field(0.8, ge=0, le=1)
    """Normalised variance from which a group is valuable."""
    momentum: float = Field(0.9, ge=0, lt=1)
    """Momentum of a banked task's priority."""
    share: float = Field(0.5, ge=0, le=1)
    """Largest share of a batch that the bank may fill."""


@scheduler("vcrl")
class Vcrl:
    """A group's value is k(G-k)/G^2 over its maximum 1/4; tasks with value >= kappa enter the bank.

    arXiv:2509.19803, eq. 5 to 8. The bank pays out its highest priorities, P <- beta P + (1-beta) value, and a
    task leaves it when its value falls below kappa. Departure: the paper replaces low-value groups after sampling;
    here the bank fills as large a share of the next batch as was of low value in the last, so none is thrown away.
    """

    name: str

    def __init__(self, pool: Pool, config: Mapping[str, JsonValue] | None = None, seed: int = 0) -> None:
        require_tasks(pool)
        self.config = VcrlConfig.model_validate(config or {})
        self._pool, self._seed, self._count, self._low = pool, seed, 0, 0.0
        self._columns = {"priority": np.zeros(len(pool))}

    def draw(self, n: int, step: int) -> list[Draw]:
        rng = stream(self._seed, step, self._count)
        self._count += 1
        priority = self._columns["priority"]
        wanted = round(n * min(self._low, self.config.share))
        banked = top_k(np.where(priority > 0, priority + 1e-9 * rng.random(len(priority)), -np.inf), wanted)
        rest = np.setdiff1d(np.arange(len(priority)), banked)
        even = rng.choice(rest, size=min(n - len(banked), len(rest)), replace=False)
        draws = [Draw(int(i), float("nan"), float(priority[i]), "bank") for i in banked]
        return filled(draws + [Draw(int(i), float("nan"), 0.0, "uniform") for i in even], n)

    def observe(self, groups: Sequence[Group], step: int) -> None:
        del step
        position, n, c = counts(sound(groups, len(self._pool)))
        if len(position) == 0:
            return
        value = 4 * c * (n - c) / n**2
        priority, beta = self._columns["priority"], self.config.momentum
        old = priority[position]
        moved = np.where(old > 0, beta * old + (1 - beta) * value, value)
        priority[position] = np.where(value >= self.config.kappa, moved, 0.0)
        self._low = float((value < self.config.kappa).mean())

    def state(self) -> JsonValue:
        return {"count": self._count, "low": self._low, "tasks": packed(self._pool, self._columns)}

    def restore(self, state: JsonValue) -> None:
        self._count, self._low = int(number(state, "count")), number(state, "low")
        if isinstance(state, Mapping):
            unpack(self._pool, state["tasks"], self._columns)
