"""What calibrated tasks say of each arm: the numbers that a plan is made from."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from curriculum.errors import CurriculumError
from curriculum.posterior import LEAST, deviation, p_above, p_mixed, shrunk_prior

FloatArray = npt.NDArray[np.float64]


class ArmSummary(NamedTuple):
    """One arm: its mean pass rate, chance of a mixed group and score (means over its tasks), and how many tasks.

    `n` decided rollouts stand behind it, and `n_before` of earlier policies. `dead`: below .05 with 95 % certainty.
    """

    arm: str
    n_tasks: int
    n: int
    pass_rate: float
    p_mixed: float
    score: float
    dead: bool
    n_before: int = 0


class Earlier(NamedTuple):
    """What earlier policies' rollouts say of a task's arm: `c` passes of `n`, `back` generations before."""

    arm: str
    n: int
    c: int
    back: int


FADE = 0.5
"""What a group counts for under each later policy."""


def family_of(arm: str) -> str:
    """The family of an arm named family/level/source.

    >>> family_of("rev/4/gen")
    'rev'
    """
    return arm.split("/", 1)[0]


def posterior_of(
    arms: Sequence[str],
    n: npt.ArrayLike,
    c: npt.ArrayLike,
    *,
    strength: float = 4.0,
    earlier: Sequence[Earlier] = (),
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Alpha and beta [N] of tasks in `arms` with `c` passes of `n` decided rollouts (0 for a task never tried).

    Each arm's prior comes from the moments of its tasks with n >= 2, shrunk to what `earlier` policies showed of the
    arm, to its family's and to all arms': an arm that never passed does not look like its family for want of probes.
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
    sums = _moments(code, n_, c_, np.ones(len(n_)), len(names))
    before = _faded(names, earlier) if earlier else None
    prior = shrunk_prior(*sums, family, strength, before)
    mu, kappa = prior.mu[code], prior.kappa[code]
    return np.maximum(c_ + kappa * mu, LEAST), np.maximum(n_ - c_ + kappa * (1 - mu), LEAST)


def summarize(
    arms: Sequence[str],
    n: npt.ArrayLike,
    c: npt.ArrayLike,
    *,
    group: int = 8,
    earlier: Sequence[Earlier] = (),
) -> list[ArmSummary]:
    """One summary an arm, sorted by name, from one row a task.

    An arm is dead by its own rollouts, or by these and its faded `earlier` ones together.
    """
    n_, c_ = np.asarray(n, dtype=np.float64), np.asarray(c, dtype=np.float64)
    alpha, beta = posterior_of(arms, n_, c_, earlier=earlier)
    if len(alpha) == 0:
        return []
    p = p_mixed(alpha, beta, group)
    score = p * deviation(alpha, beta)
    names, code = np.unique(np.asarray(arms, dtype=object).astype(str), return_inverse=True)
    size = np.bincount(code)
    mean, mixed, worth = (np.bincount(code, weights=x) / size for x in (alpha / (alpha + beta), p, score))
    tried, passed = np.bincount(code, weights=n_), np.bincount(code, weights=c_)
    known = {str(name): i for i, name in enumerate(names)}
    n_before, faded_n, faded_c = np.zeros(len(names)), np.zeros(len(names)), np.zeros(len(names))
    for row in earlier:
        if (i := known.get(row.arm)) is not None:
            n_before[i] += row.n
            faded_n[i] += row.n * FADE**row.back
            faded_c[i] += row.c * FADE**row.back
    dead = p_above(passed, tried - passed, 0.05) < 0.05
    dead |= p_above(passed + faded_c, tried - passed + faded_n - faded_c, 0.05) < 0.05
    return [
        ArmSummary(
            arm=str(arm),
            n_tasks=int(size[i]),
            n=int(tried[i]),
            pass_rate=float(mean[i]),
            p_mixed=float(mixed[i]),
            score=float(worth[i]),
            dead=bool(dead[i]),
            n_before=int(n_before[i]),
        )
        for i, arm in enumerate(names)
    ]


def _moments(
    code: npt.NDArray[np.intp], n: FloatArray, c: FloatArray, weight: FloatArray, size: int
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Weighted sums an arm of 1, c/n and c(c-1)/(n(n-1)) over tasks with n >= 2."""
    used, m = (n >= 2) * weight, np.where(n >= 2, n, 2.0)
    first, second = used * c / m, used * c * (c - 1) / (m * (m - 1))
    one, two, three = (np.bincount(code, weights=x, minlength=size).astype(np.float64) for x in (used, first, second))
    return one, two, three


def _faded(names: npt.NDArray[np.object_], earlier: Sequence[Earlier]) -> tuple[FloatArray, FloatArray, FloatArray]:
    known = {str(name): i for i, name in enumerate(names)}
    rows = [row for row in earlier if row.arm in known]
    code = np.array([known[row.arm] for row in rows], dtype=np.intp)
    counts = np.array([(row.n, row.c, row.back) for row in rows], dtype=np.float64).reshape(-1, 3)
    return _moments(code, counts[:, 0], counts[:, 1], FADE ** counts[:, 2], len(names))
