"""Intervals for a mean over tasks that come in clusters: one template makes many alike tasks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from curriculum.errors import CurriculumError

FloatArray = npt.NDArray[np.float64]

ROUNDING = 1e-12
"""A standard error below this, relative to the mean, is the rounding of equal values and counts as none."""


class Interval(NamedTuple):
    """A mean with its interval; `n` tasks in `n_clusters` clusters, `df` degrees of freedom of its t quantile."""

    value: float
    low: float
    high: float
    se: float
    df: float
    n: int
    n_clusters: int


def codes_of(clusters: Sequence[Hashable] | npt.NDArray[np.generic] | None, n: int) -> npt.NDArray[np.int64]:
    """Each task's cluster as 0..G-1; every task its own when `clusters` is None or names a single cluster.

    One cluster says nothing about others, so the figure is then about tasks of that template alone.
    """
    if clusters is None:
        return np.arange(n)
    if len(clusters) != n:
        raise CurriculumError(f"need one cluster a task, got {n} tasks and {len(clusters)} clusters")
    seen: dict[Hashable, int] = {}
    codes = np.fromiter((seen.setdefault(c, len(seen)) for c in list(clusters)), dtype=np.int64, count=n)
    return np.arange(n) if len(seen) == 1 else codes


def mean_and_error(x: FloatArray, codes: npt.NDArray[np.int64]) -> tuple[float, float, float]:
    """Mean, cluster-robust standard error (CR2) and Satterthwaite degrees of freedom.

    SE^2 = sum_g S_g^2 / (1 - n_g/N) / N^2 with S_g the sum of residuals of cluster g: CR2 for a mean (Bell and
    McCaffrey 2002). The degrees of freedom are those of Imbens and Kolesar (2016): a random-effects working
    covariance whose share is estimated by moments; G - 1 for equal clusters. SE is NaN for fewer than two tasks.
    """
    total = len(x)
    mean = float(x.mean())
    if total < 2:
        return mean, float("nan"), float("nan")
    sizes = np.bincount(codes).astype(np.float64)
    residual = x - mean
    sums = np.bincount(codes, weights=residual)
    leverage = 1.0 - sizes / total
    se = float(np.sqrt(np.sum(sums**2 / leverage)) / total)
    if se < ROUNDING * max(1.0, abs(mean)):
        se = 0.0
    if len(sizes) == total:
        return mean, se, float(total - 1)
    pairs = float((sizes**2 - sizes).sum())
    shared = max(0.0, (float((sums**2).sum()) - float((residual**2).sum())) / pairs) if pairs else 0.0
    own = max(float((residual**2).mean()) - shared, 1e-12)
    # Cov of z_g = w_g (S_g - n_g/N * sum S) under Var(S_k) = own n_k + shared n_k^2, independent clusters.
    v = own * sizes + shared * sizes**2
    w = 1.0 / np.sqrt(leverage)
    share = sizes / total
    p = np.diag(v) - np.outer(share, v) - np.outer(v, share) + np.outer(share, share) * v.sum()
    p *= np.outer(w, w)
    df = float(np.trace(p) ** 2 / np.sum(p**2))
    return mean, se, max(df, 1.0)


def clustered_interval(
    values: npt.ArrayLike,
    clusters: Sequence[Hashable] | npt.NDArray[np.generic] | None = None,
    *,
    level: float = 0.95,
    bounded: bool = True,
) -> Interval:
    """Mean of one value a task with an interval that knows that tasks of one template go together.

    `values` [N]; NaN (an undefined pass@k) is left out. Unbounded: mean +- t * SE. `bounded` values lie in
    [0, 1]: Wilson's interval at the effective size p(1-p)/SE^2 with the t quantile, so that 0 of 40 has width.
    All NaN gives NaN. Raises `CurriculumError` when the arrays do not fit or a bounded value leaves [0, 1].

    >>> clustered_interval([0, 1, 1, 0, 1, 1], list("aabbcc"))._asdict()["value"]
    0.6666666666666666
    """
    x = np.asarray(values, dtype=np.float64).ravel()
    codes = codes_of(clusters, len(x))
    keep = ~np.isnan(x)
    x, codes = x[keep], np.unique(codes[keep], return_inverse=True)[1]
    if len(x) == 0:
        nan = float("nan")
        return Interval(nan, nan, nan, nan, nan, 0, 0)
    if len(np.unique(codes)) == 1:
        codes = np.arange(len(x))
    n_clusters = int(codes.max()) + 1
    if bounded and (x.min() < 0 or x.max() > 1):
        raise CurriculumError(f"a bounded mean needs values in [0, 1], got {x.min():g} to {x.max():g}")
    mean, se, df = mean_and_error(x, codes)
    if np.isnan(se):
        return Interval(mean, *((0.0, 1.0) if bounded else (-np.inf, np.inf)), se, df, len(x), n_clusters)
    t = float(special.stdtrit(df, 0.5 + level / 2))
    if not bounded:
        return Interval(mean, mean - t * se, mean + t * se, se, df, len(x), n_clusters)
    size = mean * (1 - mean) / se**2 if se > 0 else float(len(x))
    z2 = t**2 / size
    centre = (mean + z2 / 2) / (1 + z2)
    half = float(np.sqrt(mean * (1 - mean) * z2 + z2**2 / 4)) / (1 + z2)
    low, high = min(mean, max(0.0, centre - half)), max(mean, min(1.0, centre + half))
    return Interval(mean, low, high, se, df, len(x), n_clusters)
