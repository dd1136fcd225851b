"""The bound for the simulator: knows every task's true pass rate."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from pydantic import Field

from curriculum.posterior import p_mixed_at
from curriculum.schedulers.drawing import filled, sound, top_k
from curriculum.schedulers.protocol import Draw, Group, Pool
from curriculum.schedulers.registry import SchedulerConfig, require_tasks, scheduler
from warehouse.errors import UserError
from warehouse.records import JsonValue


class OracleConfig(SchedulerConfig):
    """Settings of the oracle."""

    reuse: float = Field(3.0, gt=0)
    """Informative groups after which a task counts half."""


@scheduler("oracle")
class Oracle:
    """Draws the n tasks with the largest (1 - p^G - (1-p)^G) * 2 sqrt(p(1-p)) / (1 + n_informative / reuse).

    The simulator calls `reveal` with the true pass rates before each draw; without it a draw is refused.
    """

    name: str

    def __init__(self, pool: Pool, config: Mapping[str, JsonValue] | None = None, seed: int = 0) -> None:
        require_tasks(pool)
        del seed
        self.config = OracleConfig.model_validate(config or {})
        self._informative = np.zeros(len(pool), dtype=np.int64)
        self._p: npt.NDArray[np.float64] | None = None

    def reveal(self, pass_rates: npt.NDArray[np.float64]) -> None:
        """Take the true pass rate [N] of every task as of now."""
        self._p = pass_rates

    def draw(self, n: int, step: int) -> list[Draw]:
        del step
        if self._p is None:
            raise UserError(
                "scheduler 'oracle' needs true pass rates, which only the simulator has; see: gradatim simulate"
            )
        mixed = p_mixed_at(self._p, self.config.group)
        u = mixed * 2 * np.sqrt(self._p * (1 - self._p)) / (1 + self._informative / self.config.reuse)
        best = top_k(u, min(n, len(u)))
        return filled([Draw(int(i), float(mixed[i]), float(u[i]), "oracle") for i in best], n)

    def observe(self, groups: Sequence[Group], step: int) -> None:
        del step
        for g in sound(groups, len(self._informative)):
            self._informative[g.position] += 0 < g.c < g.n

    def state(self) -> JsonValue:
        used = np.flatnonzero(self._informative)
        return {"position": used.tolist(), "informative": self._informative[used].tolist()}

    def restore(self, state: JsonValue) -> None:
        if isinstance(state, Mapping):
            self._informative[:] = 0
            self._informative[np.asarray(state["position"], dtype=np.int64)] = np.asarray(state["informative"])
