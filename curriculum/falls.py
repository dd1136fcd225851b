"""What was lost between two evaluations: pass@k over all tasks, and the arm that fell furthest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from curriculum.estimates import compare, lost_tasks, pass_at_k

IntArray = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Paired:
    """Decided samples `n` and passes `c` of an earlier (a) and a later (b) evaluation, one value a task."""

    arms: Sequence[str]
    n_a: IntArray
    c_a: IntArray
    n_b: IntArray
    c_b: IntArray


class Fall(NamedTuple):
    """One arm's change of pass@1 since its best evaluation, in [-1, 1], and the upper end of its interval."""

    arm: str
    difference: float
    high: float


def fall_of_pass_k(earlier: Sequence[Paired], k: int, *, alpha: float = 0.05) -> dict[str, float]:
    """The detectors' series of the newest evaluation against that of the `earlier` with the highest pass@k.

    pass@k's difference and its upper end, pass@1's difference, tasks lost. Paired over tasks at 1 - `alpha`; the
    arms are all that there are, not a sample of arms, so they are no clusters. The best of several looks was partly
    luck: the caller divides `alpha` by their number. NaN where no task has k decided samples on both sides.
    """
    paired = max(earlier, key=lambda one: _mean(pass_at_k(one.n_a, one.c_a, k)))
    whole, single = (
        compare(pass_at_k(paired.n_a, paired.c_a, m), pass_at_k(paired.n_b, paired.c_b, m), alpha=alpha) for m in (k, 1)
    )
    even = (paired.n_a == paired.n_b) & (paired.n_a > 0)
    lost = sum(
        int(lost_tasks(paired.c_a[even & (paired.n_a == n)], paired.c_b[even & (paired.n_a == n)], int(n)).sum())
        for n in np.unique(paired.n_a[even])
    )
    return {
        "pass@k_difference": whole.difference if whole.n else float("nan"),
        "pass@k_high": whole.high if whole.n else float("nan"),
        "pass@1_difference": single.difference if single.n else float("nan"),
        "tasks_lost": float(lost),
    }


def _mean(values: npt.NDArray[np.float64]) -> float:
    known = values[np.isfinite(values)]
    return float(known.mean()) if len(known) else -1.0


def fall_of_pass_rate(paired: Paired, *, alpha: float = 0.05) -> dict[str, float]:
    """The series of what became of pass@1 since an earlier policy: the paired difference and its upper end."""
    found = compare(
        pass_at_k(paired.n_a, paired.c_a, 1), pass_at_k(paired.n_b, paired.c_b, 1), paired.arms, alpha=alpha
    )
    nan = float("nan")
    return {
        "pass@1_fall": found.difference if found.n else nan,
        "pass@1_fall_high": found.high if found.n else nan,
    }


def worst_fall(earlier: Sequence[Paired], *, mastered: float = 0.9, alpha: float = 0.05) -> Fall | None:
    """The mastered arm that fell furthest below its best of the `earlier` evaluations; none when none was mastered.

    An arm is mastered when its pass@1 over decided samples once reached `mastered`. The interval is about the very
    tasks evaluated: SE^2 = sum over tasks of p(1-p)/n of both sides / T^2 with p = (c + .5)/(n + 1), its normal
    quantile Bonferroni-corrected for the number of arms. Furthest: the lowest upper end.
    """
    best: dict[str, tuple[float, Paired]] = {}
    for paired in earlier:
        for arm, rate in _rates(paired).items():
            if rate >= mastered and (arm not in best or rate > best[arm][0]):
                best[arm] = rate, paired
    z = float(stats.norm.isf(alpha / (2 * max(1, len(best)))))
    falls = [_fall(arm, paired, z) for arm, (_, paired) in sorted(best.items())]
    return min(falls, key=lambda fall: fall.high, default=None)


def _rates(paired: Paired) -> Mapping[str, float]:
    arms, usable = np.asarray(paired.arms, dtype=object), (paired.n_a > 0) & (paired.n_b > 0)
    return {
        str(arm): float(paired.c_a[own].sum() / paired.n_a[own].sum())
        for arm in sorted(set(arms[usable]))
        for own in [usable & (arms == arm)]
    }


def _fall(arm: str, paired: Paired, z: float) -> Fall:
    own = (np.asarray(paired.arms, dtype=object) == arm) & (paired.n_a > 0) & (paired.n_b > 0)
    sides = [(paired.n_a[own], paired.c_a[own]), (paired.n_b[own], paired.c_b[own])]
    before, after = (c / n for n, c in sides)
    difference = float(np.mean(after - before))
    smooth = [((c + 0.5) / (n + 1), n) for n, c in sides]
    variance = sum(float(np.sum(p * (1 - p) / n)) for p, n in smooth)
    return Fall(arm, difference, difference + z * float(np.sqrt(variance)) / int(own.sum()))
