"""MoPPS: Thompson sampling of each prompt's pass rate, and the prompts nearest to a target rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from pydantic import Field

from curriculum.schedulers.dense import counts, number, packed, unpack
from curriculum.schedulers.drawing import filled, sound, stream, top_k
from curriculum.schedulers.protocol import Draw, Group, Pool
from curriculum.schedulers.registry import SchedulerConfig, require_tasks, scheduler
from warehouse.records import JsonValue


class MoppsConfig(SchedulerConfig):
    """Settings of MoPPS."""

    target: float = Field(0.5, gt=0, lt=1)
    """Pass rate aimed at."""
    lam: float = Field(0.5, ge=0, le=1)
    """How much of the old evidence is kept at each update."""
    multiple: int = Field(8, ge=1)
    """Candidates drawn uniformly, in batches, of which the best batch is taken."""


@scheduler("mopps")
class Mopps:
    """A Beta a prompt: alpha' = lam alpha + (1-lam) + c, beta' = lam beta + (1-lam) + G - c; least |g - target| wins.

    g ~ Beta(alpha, beta) a candidate (arXiv:2507.04632, eq. 8 to 11), prior Beta(1, 1), no pooling over arms.
    Departure: the candidate set is a fixed multiple of the batch.
    """

    name: str

    def __init__(self, pool: Pool, config: Mapping[str, JsonValue] | None = None, seed: int = 0) -> None:
        require_tasks(pool)
        self.config = MoppsConfig.model_validate(config or {})
        self._pool, self._seed, self._count = pool, seed, 0
        self._columns = {name: np.zeros(len(pool)) for name in ("passes", "fails")}

    def draw(self, n: int, step: int) -> list[Draw]:
        rng = stream(self._seed, step, self._count)
        self._count += 1
        size = len(self._pool)
        among = rng.choice(size, size=min(size, n * self.config.multiple), replace=False)
        guess = rng.beta(1 + self._columns["passes"][among], 1 + self._columns["fails"][among])
        gap = np.abs(guess - self.config.target)
        best = top_k(-gap, min(n, len(among)))
        return filled([Draw(int(among[i]), float("nan"), -float(gap[i]), "mopps") for i in best], n)

    def observe(self, groups: Sequence[Group], step: int) -> None:
        del step
        position, n, c = counts(sound(groups, len(self._pool)))
        for name, seen in (("passes", c), ("fails", n - c)):
            self._columns[name][np.unique(position)] *= self.config.lam
            np.add.at(self._columns[name], position, seen)

    def state(self) -> JsonValue:
        return {"count": self._count, "tasks": packed(self._pool, self._columns)}

    def restore(self, state: JsonValue) -> None:
        self._count = int(number(state, "count"))
        if isinstance(state, Mapping):
            unpack(self._pool, state["tasks"], self._columns)
