"""What an evaluation set can see, and what it would take to see more."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from curriculum.errors import CurriculumError
from curriculum.estimates.intervals import codes_of


class Components(NamedTuple):
    """Where the variance of a paired difference comes from: clusters, tasks within them, samples of a task."""

    cluster: float
    task: float
    sample: float
    n_clusters: int
    n_tasks: int
    n_samples: int


def components(
    a_passed: npt.ArrayLike, b_passed: npt.ArrayLike, n: int, clusters: Sequence[Hashable] | None = None
) -> Components:
    """Variance components of the paired difference of pass rates, by moments; each >= 0.

    `a_passed`, `b_passed` [N] count passes among `n` >= 2 samples. Sampling variance of one sample pair is
    p_a(1-p_a) + p_b(1-p_b), estimated without bias; what is left between tasks and between clusters follows.
    """
    if n < 2:
        raise CurriculumError(f"variance components need n >= 2 samples a task, got {n}")
    a, b = np.asarray(a_passed, dtype=np.float64), np.asarray(b_passed, dtype=np.float64)
    codes = codes_of(clusters, len(a))
    sample = float(np.mean(a * (n - a) + b * (n - b)) / (n * (n - 1)))
    d = (b - a) / n
    residual = d - d.mean()
    sizes = np.bincount(codes).astype(np.float64)
    sums = np.bincount(codes, weights=residual)
    pairs = float((sizes**2 - sizes).sum())
    cluster = max(0.0, float((sums**2).sum() - (residual**2).sum()) / pairs) if pairs else 0.0
    task = max(0.0, float(np.var(d, ddof=1)) - cluster - sample / n) if len(d) > 1 else 0.0
    return Components(cluster, task, sample, len(sizes), len(d), n)


def _se(parts: Components, n_tasks: float, n_samples: float, n_clusters: float) -> float:
    return math.sqrt(parts.cluster / n_clusters + (parts.task + parts.sample / n_samples) / n_tasks)


def _factor(alpha: float, power: float, df: float) -> float:
    return float(stats.t.ppf(1 - alpha / 2, df) + stats.t.ppf(power, df))


def detectable_difference(parts: Components, *, alpha: float = 0.05, power: float = 0.8) -> float:
    """The smallest true difference that this set finds with chance `power`, in the units of the metric.

    >>> round(detectable_difference(Components(0.0, 0.0, 0.5, 400, 400, 16)), 4)
    0.0248
    """
    df = max(1.0, parts.n_clusters - 1.0)
    return _factor(alpha, power, df) * _se(parts, parts.n_tasks, parts.n_samples, parts.n_clusters)


def tasks_needed(parts: Components, difference: float, *, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Tasks in all, at the same samples a task and the same clusters, to see `difference`; None if clusters forbid it.

    More tasks of the same templates do not tell how other templates would do.
    """
    room = (difference / _factor(alpha, power, max(1.0, parts.n_clusters - 1.0))) ** 2
    clustered = parts.n_clusters < parts.n_tasks
    left = room - (parts.cluster / parts.n_clusters if clustered else 0.0)
    if left <= 0:
        return None
    return math.ceil((parts.task + parts.sample / parts.n_samples) / left)


def samples_needed(parts: Components, difference: float, *, alpha: float = 0.05, power: float = 0.8) -> int | None:
    """Samples a task, on the same tasks, to see `difference`; None if the spread between tasks forbids it."""
    room = (difference / _factor(alpha, power, max(1.0, parts.n_clusters - 1.0))) ** 2
    left = room - parts.cluster / parts.n_clusters - parts.task / parts.n_tasks
    if left <= 0:
        return None
    return max(1, math.ceil(parts.sample / parts.n_tasks / left))
