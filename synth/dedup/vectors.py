"""Embeddings of kept texts, searched exactly: many at once by one matrix product, the newest one by one."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

SLACK = 1e-4
"""How far a matrix product may round away from the dot product of its pairs."""

WORTH_FORESEEING = 64
"""Fewer kept vectors than this are searched one by one."""

_CELLS = 16_000_000


class Seen(NamedTuple):
    """Places found alike among the first `n` vectors."""

    n: int
    places: NDArray[np.int64]


class Vectors:
    """Rows of unit norm in the order of adding."""

    __slots__ = ("_matrix", "_n")

    def __init__(self) -> None:
        self._matrix: NDArray[np.float32] | None = None
        self._n = 0

    def __len__(self) -> int:
        return self._n

    def add(self, vector: NDArray[np.float32]) -> None:
        """Append one row."""
        if self._matrix is None:
            self._matrix = np.zeros((1, len(vector)), np.float32)
        elif self._n >= len(self._matrix):
            self._matrix = np.concatenate([self._matrix, np.zeros_like(self._matrix)])
        self._matrix[self._n] = vector
        self._n += 1

    def foresee(self, vectors: NDArray[np.float32], least: float) -> list[Seen]:
        """For each row of `vectors`, which kept rows may have a cosine of `least` or more."""
        if self._matrix is None:
            return [Seen(0, np.zeros(0, np.int64))] * len(vectors)
        found: list[Seen] = []
        step = max(1, _CELLS // self._n)
        for start in range(0, len(vectors), step):
            cosines = vectors[start : start + step] @ self._matrix[: self._n].T
            found += [Seen(self._n, np.flatnonzero(row >= least - SLACK)) for row in cosines]
        return found

    def alike(self, vector: NDArray[np.float32], least: float, seen: Seen | None = None) -> list[tuple[int, float]]:
        """Place and cosine of every kept row with a cosine of `least` or more; the same with and without `seen`."""
        if self._matrix is None:
            return []
        known = seen or Seen(0, np.zeros(0, np.int64))
        tail = self._matrix[known.n : self._n] @ vector
        places = [*known.places.tolist(), *(np.flatnonzero(tail >= least - SLACK) + known.n).tolist()]
        cosines = [(place, float(np.dot(self._matrix[place], vector))) for place in places]
        return [(place, min(1.0, cosine)) for place, cosine in cosines if cosine >= least]
