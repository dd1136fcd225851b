"""What every scheduler is: a pure state machine that draws tasks and learns from decided groups."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from warehouse.records import JsonValue


@dataclass(frozen=True, slots=True)
class Pool:
    """The tasks a scheduler may draw, as parallel arrays of length N; positions are its task handles.

    `arm` [N] int32 indexes `arms`; `family` [A] int32 gives each arm's family; `level` [N] the generator's
    level; `cost` [N] the expected cost of one group relative to the pool's mean.
    """

    task_ids: npt.NDArray[np.object_]
    arm: npt.NDArray[np.int32]
    arms: tuple[str, ...]
    family: npt.NDArray[np.int32]
    level: npt.NDArray[np.int32]
    cost: npt.NDArray[np.float64]

    def __len__(self) -> int:
        return len(self.arm)


class Draw(NamedTuple):
    """One drawn task: its position in the pool, the predicted chance of a mixed group, and why.

    `score` is what the scheduler ranked it by, the larger the better, in its own unit: comparable within one
    scheduler's draws only. `p_mixed` is NaN where a scheduler predicts none.
    """

    position: int
    p_mixed: float
    score: float
    reason: str


class Group(NamedTuple):
    """One observed group: `n` decided rollouts of which `c` passed, and whether the scheduler selected it.

    `selected` is false for a task's first group and for exploration draws: only those inform arm priors.
    """

    position: int
    n: int
    c: int
    selected: bool


class Scheduler(Protocol):
    """Draws tasks and learns from groups; a function of (pool, config, seed) and of what it observed.

    `draw(n, step)` returns `n` draws, distinct while the pool allows. `observe` takes the groups of one
    step, in any order; groups with n < 2 change nothing. `state` is JSON-able and `restore` continues
    from it bit for bit.
    """

    name: str

    def draw(self, n: int, step: int) -> list[Draw]: ...

    def observe(self, groups: Sequence[Group], step: int) -> None: ...

    def state(self) -> JsonValue: ...

    def restore(self, state: JsonValue) -> None: ...
