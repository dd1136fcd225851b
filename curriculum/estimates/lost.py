"""Tasks that a policy could do and no longer can."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import stats

from curriculum.estimates.looks import holm


def lost_tasks(
    a_passed: npt.ArrayLike, b_passed: npt.ArrayLike, n: int, *, alpha: float = 0.05
) -> npt.NDArray[np.bool_]:
    """Which tasks fell from a to b passes of `n` samples more than chance explains.

    One-sided Fisher exact test a task (given a + b passes in all, those of A are hypergeometric), Holm-corrected.

    >>> lost_tasks([16, 9], [1, 7], 16).tolist()
    [True, False]
    """
    a, b = np.asarray(a_passed, dtype=np.int64), np.asarray(b_passed, dtype=np.int64)
    p = np.ones(len(a))
    fell = a > b
    p[fell] = stats.hypergeom.sf(a[fell] - 1, 2 * n, a[fell] + b[fell], n)
    return holm(p, alpha=alpha)
