"""How schedulers draw: streams by step, Gumbel top-k, whole numbers from shares, counts that are sound."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from curriculum.schedulers.protocol import Draw, Group

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


def stream(seed: int, step: int, count: int) -> np.random.Generator:
    """The random stream of one draw: a function of (seed, step, draws so far), so that resuming needs no RNG state."""
    return np.random.default_rng([seed, step, count])


def top_k(keys: FloatArray, k: int) -> IntArray:
    """Positions of the k largest finite keys, largest first; fewer when fewer are finite."""
    k = min(k, int(np.count_nonzero(keys > -np.inf)))
    if k == 0:
        return np.zeros(0, dtype=np.int64)
    best = largest(keys, k)
    return best[np.argsort(-keys[best], kind="stable")]


def largest(keys: npt.NDArray[np.floating], k: int) -> IntArray:
    """Positions of the k largest keys, in order of position; of equal keys the first. NaN is less than all."""
    if k >= len(keys):
        return np.arange(len(keys))
    low = -keys
    cut = np.partition(low, k - 1)[k - 1]
    above = np.flatnonzero(low < cut)
    level = np.flatnonzero(low == cut)[: k - len(above)]
    return np.sort(np.concatenate([above, level]))


def whole(shares: FloatArray, rng: np.random.Generator) -> IntArray:
    """Whole numbers whose expectation is `shares`, with the total rounded the same way (systematic sampling)."""
    edges = np.concatenate([[0.0], np.cumsum(shares)]) + rng.random()
    return np.diff(np.floor(edges + 1e-9)).astype(np.int64)


def filled(draws: Sequence[Draw], n: int) -> list[Draw]:
    """Exactly n draws: cut, or repeated from the first when the pool has fewer than n tasks."""
    if not draws:
        return []
    return [draws[i % len(draws)] for i in range(n)]


def sound(groups: Iterable[Group], n_tasks: int) -> list[Group]:
    """Groups that can be learnt from: a known position, n >= 2 decided, c a whole number in [0, n]."""
    return [
        g
        for g in groups
        if 0 <= g.position < n_tasks and g.n >= 2 and math.isfinite(g.c) and 0 <= g.c <= g.n and g.c == int(g.c)
    ]
