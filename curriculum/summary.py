"""What calibrated tasks say of each arm: the numbers that a plan is made from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from curriculum.errors import CurriculumError
from curriculum.posterior import LEAST, deviation, p_above, p_mixed, shrunk_prior


class ArmSummary(NamedTuple):
    """One arm: its mean pass rate, chance of a mixed group and score (means over its tasks), and how many tasks.

    `n` decided rollouts stand behind it. `dead`: below .05 with 95 % certainty.
    """

    arm: str
    n_tasks: int
    n: int
    pass_rate: float
    p_mixed: float
    score: float
    dead: bool


def family_of(arm: str) -> str:
    """The family of an arm named family/level/source.

    >>> family_of("rev/4/gen")
    'rev'
    """
    return arm.split("/", 1)[0]


def posterior_of(
    arms: Sequence[str], n: npt.ArrayLike, c: npt.ArrayLike, *, strength: float = 4.0
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Alpha and beta [N] of tasks in `arms` with `c` passes of `n` decided rollouts (0 for a task never tried).

    Each arm's prior comes from the moments of its tasks with n >= 2, shrunk to its family's and to all arms'.
    Raises `CurriculumError` for lengths that differ or c outside [0, n].
    """
    n_, c_ = np.asarray(n, dtype=np.float64), np.asarray(c, dtype=np.float64)
    if not len(arms) == len(n_) == len(c_):
        raise CurriculumError(f"need one arm, n and c a task, got {len(arms)}, {len(n_)} and {len(c_)}")
    if not bool(np.all((c_ >= 0) & (c_ <= n_))):
        raise CurriculumError("a posterior needs 0 <= c <= n for every task; some counts break that")
    if len(n_) == 0:
        return np.zeros(0), np.zeros(0)
    names, code = np.unique(np.asarray(arms, dtype=object).astype(str), return_inverse=True)
    family = np.unique([family_of(a) for a in names], return_inverse=True)[1].astype(np.int32)
    used = n_ >= 2
    m = np.where(used, n_, 2.0)
    sums = [
        np.bincount(code, weights=used * value, minlength=len(names)).astype(np.float64)
        for value in (np.ones(len(n_)), c_ / m, c_ * (c_ - 1) / (m * (m - 1)))
    ]
    prior = shrunk_prior(sums[0], sums[1], sums[2], family, strength)
    mu, kappa = prior.mu[code], prior.kappa[code]
    return np.maximum(c_ + kappa * mu, LEAST), np.maximum(n_ - c_ + kappa * (1 - mu), LEAST)


def summarize(arms: Sequence[str], n: npt.ArrayLike, c: npt.ArrayLike, *, group: int = 8) -> list[ArmSummary]:
    """One summary an arm, sorted by name, from one row a task."""
    n_, c_ = np.asarray(n, dtype=np.float64), np.asarray(c, dtype=np.float64)
    alpha, beta = posterior_of(arms, n_, c_)
    if len(alpha) == 0:
        return []
    p = p_mixed(alpha, beta, group)
    score = p * deviation(alpha, beta)
    names, code = np.unique(np.asarray(arms, dtype=object).astype(str), return_inverse=True)
    size = np.bincount(code)
    mean, mixed, worth = (np.bincount(code, weights=x) / size for x in (alpha / (alpha + beta), p, score))
    tried, passed = np.bincount(code, weights=n_), np.bincount(code, weights=c_)
    dead = p_above(passed, tried - passed, 0.05) < 0.05
    return [
        ArmSummary(str(a), int(size[i]), int(tried[i]), float(mean[i]), float(mixed[i]), float(worth[i]), bool(dead[i]))
        for i, a in enumerate(names)
    ]
