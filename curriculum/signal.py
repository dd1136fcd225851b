"""How much a group is expected to teach: the mean absolute advantage under group scaling."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import special

FloatArray = npt.NDArray[np.float64]


def expected_signal(p: npt.ArrayLike, group: int) -> FloatArray:
    """E[2 sqrt(r(1-r))] for r = c/G, c ~ Binomial(G, p): the mean absolute advantage of a group, in [0, 1].

    GRPO's advantage is (reward - mean) / sd; over 0/1 rewards of rate r its mean absolute value is 2 sqrt(r(1-r)).

    >>> float(expected_signal(0.5, 2))
    0.5
    """
    q = np.asarray(p, dtype=np.float64)
    total = np.zeros(q.shape)
    for c in range(1, group):
        rate = c / group
        total += special.binom(group, c) * q**c * (1 - q) ** (group - c) * 2 * np.sqrt(rate * (1 - rate))
    return total
