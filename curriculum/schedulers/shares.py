"""Floors and caps of arms within one batch."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from curriculum.schedulers.drawing import whole

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


class Limits(NamedTuple):
    """The least and the largest share of a batch for each arm, both in [0, 1]."""

    floor: FloatArray
    cap: FloatArray


def limits(active: npt.NDArray[np.bool_], dead: npt.NDArray[np.bool_], floor: float = 0.2, cap: float = 0.5) -> Limits:
    """Floor min(.02, floor/n_active) for arms that are alive and have tasks; cap max(cap, 2/n_active), at most 1.

    >>> float(limits(np.ones(40, dtype=bool), np.zeros(40, dtype=bool)).floor[0])
    0.005
    """
    n_active = max(1, int((active & ~dead).sum()))
    least = np.where(active & ~dead, min(0.02, floor / n_active), 0.0)
    return Limits(least, np.full(len(active), min(1.0, max(cap, 2.0 / n_active))))


def around(arms: Sequence[str], weights: Mapping[str, float], slack: float) -> Limits:
    """Shares within [w / slack, w * slack] of a plan's weights; arms that the plan does not name get none."""
    w = np.array([weights.get(arm, 0.0) for arm in arms])
    return Limits(w / slack, np.minimum(1.0, w * slack))


def within(arm: IntArray, keys: FloatArray, n: int, share: Limits, rng: np.random.Generator) -> IntArray:
    """The n candidates with the largest keys that keep every arm between its floor and cap.

    `arm` and `keys` [C] describe candidates. Floors come first, then keys under the caps; caps give way when
    nothing else is left. Fewer than n candidates are all returned.
    """
    rank = places(arm, keys)
    forced = rank < whole(share.floor * n, rng)[arm]
    allowed = rank < np.ceil(share.cap * n - 1e-9)[arm]
    tier = np.where(forced, 0, np.where(allowed, 1, 2))
    return np.asarray(np.lexsort((-keys, tier))[:n])


def places(arm: IntArray, keys: FloatArray) -> IntArray:
    """Each candidate's place [C] within its arm, 0 for the largest key; of equal keys the earlier candidate leads.

    >>> places(np.array([1, 0, 1, 1]), np.array([0.2, 0.9, 0.5, 0.2])).tolist()
    [1, 0, 0, 2]
    """
    order = np.lexsort((-keys, arm))
    sizes = np.bincount(arm)
    place = np.empty(len(arm), dtype=np.int64)
    place[order] = np.arange(len(arm)) - (np.cumsum(sizes) - sizes)[arm[order]]
    return place
