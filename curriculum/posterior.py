"""Beta posteriors of pass rates: what groups of rollouts say of a task, and the chance that the next one is mixed."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

FloatArray = npt.NDArray[np.float64]

KAPPA_MIN, KAPPA_MAX = 0.15, 20.0
"""Bounds of an arm's concentration: from nearly all-or-nothing tasks to nearly equal ones."""
LEAST = 1e-3
"""Smallest Beta parameter: keeps every chance strictly between 0 and 1."""


def p_mixed(alpha: npt.ArrayLike, beta: npt.ArrayLike, group: int) -> FloatArray:
    """The chance that a group of `group` rollouts holds both a pass and a failure, in [0, 1].

    P = 1 - Be(A+G, B)/Be(A, B) - Be(A, B+G)/Be(A, B), each ratio as a product of G factors.

    >>> float(p_mixed(1.0, 1.0, 2).round(4))
    0.3333
    """
    a, b = np.asarray(alpha, dtype=np.float64), np.asarray(beta, dtype=np.float64)
    all_pass, all_fail = np.ones(np.broadcast(a, b).shape), np.ones(np.broadcast(a, b).shape)
    total = a + b
    for i in range(group):
        all_pass *= (a + i) / (total + i)
        all_fail *= (b + i) / (total + i)
    return np.clip(1.0 - all_pass - all_fail, 0.0, 1.0)


def p_mixed_at(p: npt.ArrayLike, group: int) -> FloatArray:
    """The same chance for a known pass rate: 1 - p^G - (1-p)^G."""
    q = np.asarray(p, dtype=np.float64)
    return np.asarray(1.0 - q**group - (1.0 - q) ** group, dtype=np.float64)


def deviation(alpha: npt.ArrayLike, beta: npt.ArrayLike) -> FloatArray:
    """2 sqrt(AB / ((A+B)(A+B+1))): twice the root of E[p(1-p)], in [0, 1]; the expected size of the advantage.

    >>> float(deviation(1e6, 1e6).round(3))
    1.0
    """
    a, b = np.asarray(alpha, dtype=np.float64), np.asarray(beta, dtype=np.float64)
    return 2.0 * np.sqrt(a * b / ((a + b) * (a + b + 1.0)))


def credible_interval(alpha: npt.ArrayLike, beta: npt.ArrayLike, level: float = 0.9) -> tuple[FloatArray, FloatArray]:
    """The equal-tailed credible interval of Beta(alpha, beta).

    >>> [float(x.round(3)) for x in credible_interval(1.0, 1.0)]
    [0.05, 0.95]
    """
    a, b = np.asarray(alpha, dtype=np.float64), np.asarray(beta, dtype=np.float64)
    tail = (1 - level) / 2
    return special.betaincinv(a, b, tail), special.betaincinv(a, b, 1 - tail)


def p_above(passes: npt.ArrayLike, fails: npt.ArrayLike, threshold: float) -> FloatArray:
    """P(p > threshold) under Beta(.5 + passes, .5 + fails): Jeffreys' prior on undiscounted counts.

    >>> bool(p_above(0, 40, 0.05) < 0.05), bool(p_above(0, 24, 0.05) < 0.05)
    (True, False)
    """
    a, b = np.asarray(passes, dtype=np.float64) + 0.5, np.asarray(fails, dtype=np.float64) + 0.5
    return np.asarray(special.betaincc(a, b, threshold), dtype=np.float64)


class Prior(NamedTuple):
    """An arm's Beta prior: mean pass rate `mu` and concentration `kappa` (pseudo-rollouts)."""

    mu: FloatArray
    kappa: FloatArray


def moment_prior(mu: npt.ArrayLike, second: npt.ArrayLike) -> Prior:
    """The Beta that has mean `mu` and second moment `second` = E[c(c-1)/(G(G-1))].

    kappa = mu(1-mu)/tau2 - 1 with tau2 = second - mu^2, clipped to [.15, 20]; 20 where tau2 <= 0 or mu is 0 or 1.

    >>> float(moment_prior(0.5, 0.5).kappa), float(moment_prior(0.5, 1 / 3).kappa.round(6))
    (0.15, 2.0)
    """
    m = np.asarray(mu, dtype=np.float64)
    tau2 = np.asarray(second, dtype=np.float64) - m**2
    usable = (tau2 > 0) & (m > 0) & (m < 1)
    kappa = np.where(usable, m * (1 - m) / np.where(usable, tau2, 1.0) - 1.0, KAPPA_MAX)
    return Prior(m, np.clip(kappa, KAPPA_MIN, KAPPA_MAX))


def shrunk_prior(
    weight: FloatArray,
    first: FloatArray,
    second: FloatArray,
    family: npt.NDArray[np.int32],
    strength: float = 4.0,
    before: tuple[FloatArray, FloatArray, FloatArray] | None = None,
) -> Prior:
    """Arm priors from decayed sums over groups, shrunk to the family's and then to all arms'.

    `weight`, `first`, `second` [A] sum 1, c/G and c(c-1)/(G(G-1)) over unselected groups; `family` [A] is each
    arm's family. Each level's mean and concentration count as `strength` groups below it; with no group at all
    the prior is Beta(.5, .5). `before`: the same sums of earlier policies, a level between an arm and its family.
    """
    n_families = int(family.max()) + 1
    w0, m0, s0 = weight.sum(), first.sum(), second.sum()
    top = moment_prior((m0 + 0.5 * strength) / (w0 + strength), (s0 + 0.375 * strength) / (w0 + strength))
    wf, mf, sf = (
        np.bincount(family, weights=x, minlength=n_families).astype(np.float64) for x in (weight, first, second)
    )
    middle = _pull(wf, mf, sf, top, strength)
    to = Prior(middle.mu[family], middle.kappa[family])
    if before is not None:
        to = _pull(*before, to, strength)
    return _pull(weight, first, second, to, strength)


def _pull(weight: FloatArray, first: FloatArray, second: FloatArray, to: Prior, strength: float) -> Prior:
    safe = np.maximum(weight, 1e-12)
    own = moment_prior(np.clip(first / safe, 0.0, 1.0), np.clip(second / safe, 0.0, 1.0))
    share = weight / (weight + strength)
    return Prior(share * own.mu + (1 - share) * to.mu, share * own.kappa + (1 - share) * to.kappa)


class Calibration(NamedTuple):
    """Predicted against observed share of mixed groups in bins of the prediction."""

    predicted: FloatArray
    observed: FloatArray
    n: npt.NDArray[np.int64]
    error: float


def mixed_calibration(predicted: npt.ArrayLike, mixed: npt.ArrayLike, n_bins: int = 10) -> Calibration:
    """How well predicted chances of a mixed group came true; `error` is the weighted mean absolute gap.

    Empty bins are left out; no groups at all give an error of NaN.
    """
    p, m = np.asarray(predicted, dtype=np.float64), np.asarray(mixed, dtype=np.float64)
    if len(p) == 0:
        return Calibration(np.zeros(0), np.zeros(0), np.zeros(0, dtype=np.int64), float("nan"))
    which = np.minimum((p * n_bins).astype(np.int64), n_bins - 1)
    n = np.bincount(which, minlength=n_bins)
    used = n > 0
    mean_p = np.bincount(which, weights=p, minlength=n_bins)[used] / n[used]
    mean_m = np.bincount(which, weights=m, minlength=n_bins)[used] / n[used]
    return Calibration(mean_p, mean_m, n[used], float(np.sum(n[used] * np.abs(mean_p - mean_m)) / len(p)))
