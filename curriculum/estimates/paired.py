"""Two policies on the same tasks: the difference, how sure it is, and a verdict in words."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from enum import StrEnum
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from curriculum.errors import CurriculumError
from curriculum.estimates.intervals import clustered_interval


class Verdict(StrEnum):
    """What a comparison says of B against A."""

    BETTER = "better"
    WORSE = "worse"
    CANNOT_TELL = "cannot tell"


class Comparison(NamedTuple):
    """B minus A over paired tasks; `detectable` is the difference this set sees four times in five."""

    difference: float
    low: float
    high: float
    se: float
    p_value: float
    verdict: Verdict
    detectable: float
    n: int
    n_clusters: int


def compare(
    a: npt.ArrayLike,
    b: npt.ArrayLike,
    clusters: Sequence[Hashable] | npt.NDArray[np.generic] | None = None,
    *,
    alpha: float = 0.05,
    power: float = 0.8,
) -> Comparison:
    """The mean of b - a over tasks, with a clustered t-interval at 1 - alpha and a verdict.

    `a` and `b` [N] hold one value a task (pass@1, pass@k) in the same order; tasks where either is NaN are left
    out. Clusters as in `clustered_interval`; few clusters give few degrees of freedom, not false certainty.
    Rates, values in [0, 1] on both sides, have an interval within [-1, 1]. Pairing and clustering after
    arXiv:2411.00640, section 3. "cannot tell" when the interval holds 0, or when fewer than two tasks remain (NaN
    error). Raises `CurriculumError` when lengths differ.

    >>> compare([0.0, 0.5, 0.25, 0.5], [0.5, 0.75, 0.75, 0.75]).verdict.value
    'better'
    """
    x, y = np.asarray(a, dtype=np.float64).ravel(), np.asarray(b, dtype=np.float64).ravel()
    if len(x) != len(y):
        raise CurriculumError(f"a paired comparison needs the same tasks, got {len(x)} and {len(y)}")
    d = y - x
    summary = clustered_interval(d, clusters, level=1 - alpha, bounded=False)
    if summary.n < 2:
        nan = float("nan")
        return Comparison(summary.value, -1.0, 1.0, nan, 1.0, Verdict.CANNOT_TELL, nan, summary.n, summary.n_clusters)
    if summary.se == 0:
        verdict, p_value = _certain(summary.value)
    else:
        p_value = float(2 * special.stdtr(summary.df, -abs(summary.value) / summary.se))
        verdict = Verdict.CANNOT_TELL
        if p_value < alpha:
            verdict = Verdict.BETTER if summary.value > 0 else Verdict.WORSE
    low, high = summary.low, summary.high
    if np.nanmin([x, y]) >= 0 and np.nanmax([x, y]) <= 1:
        low, high = max(-1.0, low), min(1.0, high)
    quantiles = special.stdtrit(summary.df, np.array([1 - alpha / 2, power]))
    return Comparison(
        summary.value,
        low,
        high,
        summary.se,
        p_value,
        verdict,
        float(quantiles.sum()) * summary.se,
        summary.n,
        summary.n_clusters,
    )


def _certain(difference: float) -> tuple[Verdict, float]:
    """Every task moved by the same amount: that amount, and only no movement at all cannot tell."""
    if difference == 0:
        return Verdict.CANNOT_TELL, 1.0
    return (Verdict.BETTER if difference > 0 else Verdict.WORSE), 0.0
