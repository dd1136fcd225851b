"""Series that a change of mixture alone does not move."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np


class ArmGap(NamedTuple):
    """Observed minus predicted pass rate over arms, its standard error, and the number of rollouts."""

    gap: float
    se: float
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


def arm_gap(counts: Mapping[str, tuple[int, int]], predicted: Mapping[str, float], group: int = 8) -> ArmGap:
    """How far passes fall from what was predicted: sum over arms of (c - n p) / sum n.

    `counts` holds (n decided, c passes) an arm, `predicted` the rate expected for the very tasks drawn. Rollouts of
    one group go together: the variance counts each group as half one rollout and half independent ones.
    """
    usable = [(n, c, predicted[a]) for a, (n, c) in counts.items() if n > 0 and a in predicted]
    total = sum(n for n, _, _ in usable)
    if total == 0:
        return ArmGap(float("nan"), float("nan"), 0)
    gap = sum(c - n * p for n, c, p in usable) / total
    variance = sum(n * p * (1 - p) for n, _, p in usable) * (1 + group) / 2
    return ArmGap(gap, float(np.sqrt(max(variance, 1.0)) / total), total)
