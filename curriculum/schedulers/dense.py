"""Per-task numbers of the baseline schedulers: dense in memory, by task id and only where used in their state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from curriculum.schedulers.protocol import Group, Pool
from warehouse.records import JsonValue

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def packed(pool: Pool, columns: Mapping[str, FloatArray]) -> dict[str, JsonValue]:
    """The rows in which any column is not 0, keyed by task id."""
    used = np.flatnonzero(np.any([values != 0 for values in columns.values()], axis=0))
    ids: list[JsonValue] = [str(x) for x in pool.task_ids[used]]
    return {"task_ids": ids, **{name: values[used].tolist() for name, values in columns.items()}}


def unpack(pool: Pool, state: JsonValue, columns: Mapping[str, FloatArray]) -> None:
    """Write `state` into the columns; tasks that this pool does not hold are left out."""
    if not isinstance(state, Mapping):
        return
    ids = state["task_ids"]
    wanted = {str(x): i for i, x in enumerate(ids)} if isinstance(ids, Sequence) else {}
    found = [(i, wanted[str(x)]) for i, x in enumerate(pool.task_ids) if str(x) in wanted]
    here, there = np.array(found, dtype=np.int64).reshape(-1, 2).T
    for name, values in columns.items():
        values[:] = 0
        values[here] = np.asarray(state[name], dtype=np.float64)[there]


def number(state: JsonValue, name: str) -> float:
    """A number of a state; 0 where there is none."""
    value = state.get(name, 0) if isinstance(state, Mapping) else 0
    return float(value) if isinstance(value, int | float) else 0.0


def counts(groups: Sequence[Group]) -> tuple[IntArray, FloatArray, FloatArray]:
    """Positions, n and c of groups as arrays."""
    return (
        np.array([g.position for g in groups], dtype=np.int64),
        np.array([g.n for g in groups], dtype=np.float64),
        np.array([g.c for g in groups], dtype=np.float64),
    )
