"""Difficulty buckets: how a task looks to one policy, by the credible interval of its pass rate."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from curriculum.posterior import credible_interval
from warehouse.records import Bucket

DEAD_BELOW = 0.05
"""A pass rate under this carries gradient in fewer than a third of groups of eight."""
HARD_BELOW = 0.25
EASY_ABOVE = 0.75
MASTERED_ABOVE = 0.95
UNKNOWN_WIDTH = 0.6
"""A 90 % interval wider than this says nothing yet."""

ORDER = (Bucket.DEAD, Bucket.HARD, Bucket.FRONTIER, Bucket.EASY, Bucket.MASTERED, Bucket.UNKNOWN)


def bucket_codes(alpha: npt.ArrayLike, beta: npt.ArrayLike) -> npt.NDArray[np.int8]:
    """Index into `ORDER` for each Beta(alpha, beta): `bucket_of`, vectorised over millions of tasks."""
    a, b = np.asarray(alpha, dtype=np.float64), np.asarray(beta, dtype=np.float64)
    low, high = credible_interval(a, b)
    mean = a / (a + b)
    codes = np.select(
        [mean < HARD_BELOW, mean <= EASY_ABOVE],
        [ORDER.index(Bucket.HARD), ORDER.index(Bucket.FRONTIER)],
        ORDER.index(Bucket.EASY),
    )
    codes = np.where(high - low > UNKNOWN_WIDTH, ORDER.index(Bucket.UNKNOWN), codes)
    codes = np.where(special.betainc(a, b, DEAD_BELOW) > 0.95, ORDER.index(Bucket.DEAD), codes)
    codes = np.where(special.betainc(a, b, MASTERED_ABOVE) < 0.05, ORDER.index(Bucket.MASTERED), codes)
    return codes.astype(np.int8)


def bucket_of(alpha: float, beta: float) -> Bucket:
    """The bucket of a task whose pass rate has posterior Beta(alpha, beta).

    `dead`: P(p > .05) < .05; `mastered`: P(p > .95) > .95; `unknown`: 90 % interval wider than .6; else by the
    mean: `hard` < .25 <= `frontier` <= .75 < `easy`.

    >>> bucket_of(0.5, 40.5).value, bucket_of(4.5, 4.5).value, bucket_of(0.5, 0.5).value
    ('dead', 'frontier', 'unknown')
    """
    return ORDER[int(bucket_codes(alpha, beta))]


class Drift(NamedTuple):
    """How many tasks went from one bucket to another between two policies."""

    before: Bucket
    after: Bucket
    n: int


def drift(before: npt.NDArray[np.int8], after: npt.NDArray[np.int8]) -> list[Drift]:
    """Counts of tasks by bucket before and after, both as codes into `ORDER`; only pairs that occur."""
    pairs, counts = np.unique(np.stack([before, after]), axis=1, return_counts=True)
    return [Drift(ORDER[int(i)], ORDER[int(j)], int(k)) for (i, j), k in zip(pairs.T, counts, strict=True)]


def by_variance(mean: npt.ArrayLike, *, edges: tuple[float, float] = (0.09, 0.2)) -> npt.NDArray[np.int8]:
    """Variance buckets of p(1-p): 0 low, 1 middle, 2 high; the edges are p = .1 and p = .276 (and their mirrors)."""
    p = np.asarray(mean, dtype=np.float64)
    return np.digitize(p * (1 - p), edges).astype(np.int8)
