"""What is known of each task that was ever drawn: counts, discounted evidence, when it was last seen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from warehouse.records import JsonValue

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

COLUMNS: Final[dict[str, type[np.generic]]] = {
    "position": np.int32,
    "passes": np.float32,
    "fails": np.float32,
    "updated": np.int32,
    "n": np.int32,
    "c": np.int32,
    "informative": np.int32,
    "groups": np.int32,
    "versions": np.int32,
    "drawn": np.int32,
    "pending": np.int8,
    "probe_at": np.int32,
    "probes": np.int16,
}
"""`passes`, `fails`: discounted; `n`, `c`: not. `updated`, `drawn`: steps (-1 never). `versions`: distinct steps with a
group. `pending`: drawn, not yet observed. `probe_at`: step of the next re-probe of a quarantined task (-1: not in it).
"""


class Ledger:
    """Rows for drawn tasks only, so that a pool of ten million costs one int32 a task and the drawn ones a row."""

    def __init__(self, n_tasks: int) -> None:
        self._row = np.full(n_tasks, -1, dtype=np.int32)
        self._data: dict[str, npt.NDArray[Any]] = {name: np.zeros(64, dtype=kind) for name, kind in COLUMNS.items()}
        self.size = 0

    def ints(self, column: str) -> IntArray:
        """A whole-number column of all rows, as a view that can be written."""
        return self._data[column][: self.size]

    def floats(self, column: str) -> FloatArray:
        """A real column of all rows, as a view that can be written."""
        return self._data[column][: self.size]

    def seen(self, position: int) -> bool:
        """Whether the task at `position` has a row."""
        return bool(self._row[position] >= 0)

    def rows(self, positions: IntArray) -> IntArray:
        """The rows of `positions`, made where there are none."""
        fresh = positions[self._row[positions] < 0]
        if len(fresh):
            self.append(np.unique(fresh))
        return self._row[positions].astype(np.int64)

    def append(self, fresh: npt.NDArray[np.integer]) -> None:
        """Make a row for each of `fresh`, distinct positions that have none."""
        size = self.size + len(fresh)
        self._grow(size)
        self._row[fresh] = np.arange(self.size, size)
        self._data["position"][self.size : size] = fresh
        for name in ("updated", "drawn", "probe_at"):
            self._data[name][self.size : size] = -1
        self.size = size

    def _grow(self, needed: int) -> None:
        have = len(self._data["position"])
        if needed <= have:
            return
        for name, values in self._data.items():
            bigger = np.zeros(max(needed, 2 * have), dtype=values.dtype)
            bigger[:have] = values
            self._data[name] = bigger

    def add(
        self, positions: IntArray, n: IntArray, c: IntArray, step: int, lam: float = 1.0, rho: float = 1.0
    ) -> IntArray:
        """Fold groups of one step in and return their rows.

        d = lam^(steps since) * rho;  s <- d s + c;  f <- d f + n - c. Several groups in a step discount once.
        """
        rows = self.rows(positions)
        data = self._data
        once = np.unique(rows)
        since = np.maximum(step - data["updated"][once], 0)
        decay = np.where(data["updated"][once] < 0, 0.0, lam**since * rho)
        data["passes"][once] *= decay
        data["fails"][once] *= decay
        data["versions"][once] += data["updated"][once] != step
        data["updated"][once] = step
        np.add.at(data["passes"], rows, c)
        np.add.at(data["fails"], rows, n - c)
        np.add.at(data["n"], rows, n)
        np.add.at(data["c"], rows, c)
        np.add.at(data["groups"], rows, 1)
        np.add.at(data["informative"], rows, (c > 0) & (c < n))
        data["pending"][once] = 0
        return rows

    def state(self, task_ids: npt.NDArray[np.object_]) -> dict[str, JsonValue]:
        """All rows as JSON, by task id, so that a pool in another order or with other tasks can take them."""
        out: dict[str, JsonValue] = {name: self._data[name][: self.size].tolist() for name in COLUMNS}
        out["position"] = [str(x) for x in task_ids[self.ints("position")]]
        return out

    def restore(self, state: Mapping[str, JsonValue], task_ids: npt.NDArray[np.object_]) -> IntArray:
        """Replace all rows by those of `state`; returns which of its rows this pool still holds, in order."""
        ids = _strings(state["position"])
        wanted = set(ids)
        place = {str(task): i for i, task in enumerate(task_ids) if task in wanted}
        keep = [i for i, task in enumerate(ids) if task in place]
        self._row[:] = -1
        self.size = len(keep)
        for name, kind in COLUMNS.items():
            if name == "position":
                values = np.array([place[ids[i]] for i in keep], dtype=kind)
            else:
                column: npt.NDArray[Any] = np.asarray(state[name], dtype=kind)
                values = column[keep] if len(column) else column
            self._data[name] = values if len(values) else np.zeros(64, dtype=kind)
        self._row[self.ints("position")] = np.arange(self.size)
        return np.array(keep, dtype=np.int64)


def _strings(value: JsonValue) -> list[str]:
    return [str(x) for x in value] if isinstance(value, Sequence) else []
