"""Many looks and many comparisons: how to keep the promised rate of false alarms."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import stats

from curriculum.errors import CurriculumError


def look_alpha(look: int, n_looks: int, *, alpha: float = 0.05) -> float:
    """The significance level of one look among planned ones, so that all looks together err at most `alpha`.

    O'Brien-Fleming spending a(t) = 2 - 2 Phi(z / sqrt t) with z the two-sided quantile (Lan and DeMets 1983);
    a look gets a(look/n) - a((look-1)/n), which by the union bound is valid under any dependence.

    >>> [round(look_alpha(i, 3), 4) for i in (1, 2, 3)]
    [0.0007, 0.0157, 0.0336]
    """
    if not 1 <= look <= n_looks:
        raise CurriculumError(f"a look is counted from 1 to {n_looks}, got {look}")
    z = float(stats.norm.ppf(1 - alpha / 2))

    def spent(share: float) -> float:
        return 0.0 if share <= 0 else float(2 * stats.norm.sf(z / np.sqrt(share)))

    return spent(look / n_looks) - spent((look - 1) / n_looks)


def holm(p_values: npt.ArrayLike, *, alpha: float = 0.05) -> npt.NDArray[np.bool_]:
    """Which hypotheses Holm's step-down method rejects at family-wise level `alpha`; NaN is never rejected.

    >>> holm([0.01, 0.04, 0.03]).tolist()
    [True, False, False]
    """
    p = np.nan_to_num(np.asarray(p_values, dtype=np.float64), nan=1.0)
    order = np.argsort(p, kind="stable")
    passes = p[order] <= alpha / (len(p) - np.arange(len(p)))
    rejected = np.zeros(len(p), dtype=bool)
    rejected[order[: int(np.argmin(passes)) if not passes.all() else len(p)]] = True
    return rejected
