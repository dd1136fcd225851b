"""Quantiles of what rollouts cost, with intervals that know that tasks of one template go together."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
import numpy.typing as npt

from curriculum.errors import CurriculumError
from curriculum.estimates.intervals import Interval, codes_of

DRAWS = 400
"""Bootstrap samples of an interval."""


def clustered_quantile(
    values: npt.ArrayLike,
    q: float,
    clusters: Sequence[Hashable] | npt.NDArray[np.generic] | None = None,
    *,
    level: float = 0.95,
    seed: int = 0,
) -> Interval:
    """The `q` quantile of all samples of all tasks, with a percentile interval from a bootstrap over clusters.

    `values` [N, S], S samples a task; NaN is left out. Whole clusters are drawn with replacement (Davison and
    Hinkley 1997, section 3.8), `DRAWS` times with `seed`. All NaN gives NaN. Raises `CurriculumError` for q outside
    [0, 1].

    >>> clustered_quantile([[1, 2], [3, 4]], 0.5).value
    2.5
    """
    if not 0 <= q <= 1:
        raise CurriculumError(f"a quantile needs q in [0, 1], got {q}")
    x = np.atleast_2d(np.asarray(values, dtype=np.float64))
    codes = codes_of(clusters, len(x))
    nan = float("nan")
    if np.isnan(x).all():
        return Interval(nan, nan, nan, nan, nan, 0, 0)
    n_clusters = int(codes.max()) + 1
    members = [np.flatnonzero(codes == code) for code in range(n_clusters)]
    rng = np.random.default_rng(seed)
    drawn = [np.concatenate([members[i] for i in rng.integers(n_clusters, size=n_clusters)]) for _ in range(DRAWS)]
    found = np.array([_quantile(x[rows], q) for rows in drawn])
    found = found[~np.isnan(found)]
    value = _quantile(x, q)
    low, high = np.quantile(found, [(1 - level) / 2, (1 + level) / 2])
    n = int((~np.isnan(x)).any(axis=1).sum())
    return Interval(value, min(value, float(low)), max(value, float(high)), float(found.std()), nan, n, n_clusters)


def _quantile(x: npt.NDArray[np.float64], q: float) -> float:
    known = x[~np.isnan(x)]
    return float(np.quantile(known, q)) if len(known) else float("nan")
