"""GRESO: skips a prompt, before it is sampled, the likelier the longer its groups have carried no gradient."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import Field

from curriculum.schedulers.dense import counts, number, packed, unpack
from curriculum.schedulers.drawing import filled, sound, stream
from curriculum.schedulers.protocol import Draw, Group, Pool
from curriculum.schedulers.registry import SchedulerConfig, require_tasks, scheduler
from warehouse.records import JsonValue


class GresoConfig(SchedulerConfig):
    """Settings of GRESO."""

    target_easy: float = Field(0.083, ge=0, le=1)
    """Wanted share of all-right groups: a third of the paper's 25 % zero-variance target."""
    target_hard: float = Field(0.167, ge=0, le=1)
    """Wanted share of all-wrong groups: the other two thirds."""
    delta: float = Field(0.01, gt=0, le=1)
    """Step by which the exploration chances move."""
    least: float = Field(0.05, gt=0, le=1)
    """Smallest exploration chance."""
    start: float = Field(0.5, gt=0, le=1)
    """Exploration chance at the start, for easy and for hard."""


@scheduler("greso")
class Greso:
    """Draws uniformly and filters with chance 1 - p_e^z, z the length of the run of zero-variance groups.

    arXiv:2506.02177, eq. 4 and algorithm 1: separate p_e for all-right and all-wrong prompts, moved by `delta`
    towards a target share of zero-variance groups. Departures: p_e is capped at 1, as a chance must be;
    the batch is refilled from further prompts before sampling, never after (no adaptive batch size).
    """

    name: str

    def __init__(self, pool: Pool, config: Mapping[str, JsonValue] | None = None, seed: int = 0) -> None:
        require_tasks(pool)
        self.config = GresoConfig.model_validate(config or {})
        self._pool, self._seed, self._count = pool, seed, 0
        self._columns = {name: np.zeros(len(pool)) for name in ("easy", "hard")}
        self.p_easy = self.p_hard = self.config.start

    def keep_chance(self) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
        """The chance that each task passes the filter: p_e^z."""
        return np.asarray(self.p_easy ** self._columns["easy"] * self.p_hard ** self._columns["hard"])

    def draw(self, n: int, step: int) -> list[Draw]:
        rng = stream(self._seed, step, self._count)
        self._count += 1
        keep = self.keep_chance()
        order = rng.permutation(len(keep))
        passed = order[rng.random(len(keep)) < keep[order]][:n]
        if len(passed) < n:
            passed = np.concatenate([passed, np.setdiff1d(order, passed, assume_unique=True)[: n - len(passed)]])
        return filled([Draw(int(i), float("nan"), float(keep[i]), "greso") for i in passed], n)

    def observe(self, groups: Sequence[Group], step: int) -> None:
        del step
        position, n, c = counts(sound(groups, len(self._pool)))
        if len(position) == 0:
            return
        for name, hit in (("easy", c == n), ("hard", c == 0)):
            self._columns[name][position] = np.where(hit, self._columns[name][position] + 1, 0.0)
        config = self.config
        self.p_easy = self._moved(self.p_easy, float((c == n).mean()), config.target_easy)
        self.p_hard = self._moved(self.p_hard, float((c == 0).mean()), config.target_hard)

    def _moved(self, chance: float, share: float, target: float) -> float:
        step = -self.config.delta if share >= target else self.config.delta
        return min(1.0, max(self.config.least, chance + step))

    def state(self) -> JsonValue:
        chances = {"p_easy": self.p_easy, "p_hard": self.p_hard}
        return {"count": self._count, **chances, "tasks": packed(self._pool, self._columns)}

    def restore(self, state: JsonValue) -> None:
        self._count = int(number(state, "count"))
        self.p_easy, self.p_hard = number(state, "p_easy"), number(state, "p_hard")
        if isinstance(state, Mapping):
            unpack(self._pool, state["tasks"], self._columns)
