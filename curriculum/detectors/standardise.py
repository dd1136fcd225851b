"""Series that a change of mixture alone does not move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np


class Gap(NamedTuple):
    """Pass rate now minus at the start, its standard error from either side's sampling, and the number of tasks."""

    gap: float
    se: float
    start_se: float
    n: int


def by_arm(means: Mapping[str, float], weights: Mapping[str, float]) -> float:
    """The mean over arms of `means` under fixed `weights`, renormalised over the arms that were seen; NaN for none.

    Entropy and reward as if every step had drawn the reference mixture.

    >>> by_arm({"a": 1.0, "b": 3.0}, {"a": 0.5, "b": 0.25, "c": 0.25})
    1.6666666666666667
    """
    seen = [(weights[a], m) for a, m in means.items() if weights.get(a, 0.0) > 0 and np.isfinite(m)]
    total = sum(w for w, _ in seen)
    return sum(w * m for w, m in seen) / total if total > 0 else float("nan")


def paired_gap(now: Mapping[str, tuple[int, int]], start: Mapping[str, tuple[int, int]]) -> Gap:
    """How far passes moved on the very tasks that were tried at the start: mean over tasks of c/n - c0/n0.

    Both hold (n decided, c passes) by task. SE^2 = sum over tasks of p(1-p)/n / T^2 for either side, with
    p = (c + c0 + .5) / (n + n0 + 1): the tasks are the same, so only sampling makes noise. Looks that share a start
    share its error. No task tried on both sides is NaN.

    >>> paired_gap({"a": (4, 1), "b": (4, 4)}, {"a": (4, 3), "b": (4, 4)}).gap
    -0.25
    """
    both = [(*now[t], *start[t]) for t in now if t in start and now[t][0] > 0 and start[t][0] > 0]
    if not both:
        nan = float("nan")
        return Gap(nan, nan, nan, 0)
    n, c, n0, c0 = np.array(both, dtype=np.float64).T
    p = (c + c0 + 0.5) / (n + n0 + 1)
    own, first = (float(np.sqrt((p * (1 - p) / m).sum())) / len(both) for m in (n, n0))
    return Gap(float((c / n - c0 / n0).mean()), own, first, len(both))
