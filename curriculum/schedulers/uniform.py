"""Every task alike: the yardstick."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from curriculum.schedulers.drawing import filled, stream
from curriculum.schedulers.protocol import Draw, Group, Pool
from curriculum.schedulers.registry import SchedulerConfig, require_tasks, scheduler
from warehouse.records import JsonValue


@scheduler("uniform")
class Uniform:
    """Draws without replacement, each task with chance n/N; learns nothing from groups."""

    name: str

    def __init__(self, pool: Pool, config: Mapping[str, JsonValue] | None = None, seed: int = 0) -> None:
        require_tasks(pool)
        self.config = SchedulerConfig.model_validate(config or {})
        self._pool, self._seed, self._count = pool, seed, 0

    def draw(self, n: int, step: int) -> list[Draw]:
        rng = stream(self._seed, step, self._count)
        self._count += 1
        size = len(self._pool)
        chosen = rng.choice(size, size=min(n, size), replace=False, shuffle=True)
        return filled([Draw(int(i), float("nan"), n / size, "uniform") for i in chosen], n)

    def observe(self, groups: Sequence[Group], step: int) -> None:
        del groups, step

    def state(self) -> JsonValue:
        return {"count": self._count}

    def restore(self, state: JsonValue) -> None:
        if isinstance(state, Mapping):
            self._count = int(str(state["count"]))
