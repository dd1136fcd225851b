"""The law R = -a exp(H) + b: what reward is still to be had for the entropy that is left."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats

from curriculum.detectors.protocol import NOTHING, History, Reading, detector


class Law(NamedTuple):
    """Fit of R = -a exp(H) + b; `ceiling` = b - a is the reward at zero entropy, with a 95 % interval."""

    a: float
    b: float
    ceiling: float
    low: float
    high: float
    r2: float


def fit(entropy: npt.ArrayLike, reward: npt.ArrayLike) -> Law | None:
    """Least squares of reward on exp(entropy) (arXiv:2505.22617, eq. 1); None under 5 points or without spread."""
    h, r = np.asarray(entropy, dtype=np.float64), np.asarray(reward, dtype=np.float64)
    good = np.isfinite(h) & np.isfinite(r)
    x, y = np.exp(np.minimum(h[good], 20.0)), r[good]
    if len(x) < 5 or float(np.ptp(x)) < 1e-9:
        return None
    line = stats.linregress(x, y)
    slope, intercept = float(line.slope), float(line.intercept)
    residual = y - intercept - slope * x
    s2 = float(residual @ residual) / (len(x) - 2)
    error = np.sqrt(s2 * (1 / len(x) + (1 - x.mean()) ** 2 / float(np.sum((x - x.mean()) ** 2))))
    ceiling, half = intercept + slope, float(stats.t.ppf(0.975, len(x) - 2) * error)
    return Law(-slope, intercept, ceiling, ceiling - half, ceiling + half, float(line.rvalue) ** 2)


@detector("entropy_law", version="2", warn=0.9, critical=1.01, needs=("entropy", "reward"), persist=3)
def entropy_law(history: History) -> Reading:
    """Share of the way from the first reward to the law's ceiling that is done, in [0, 1]: 1 is no headroom left.

    Only warns (its critical level is out of reach). Says nothing unless the fit has a > 0 and r^2 >= .5.
    """
    law = fit(*history.together("entropy", "reward"))
    if law is None or law.a <= 0 or law.r2 < 0.5:
        return NOTHING
    start, now = history.first("reward", 3), history.last("reward", 3)
    if law.ceiling <= start:
        return NOTHING
    done = float(np.clip((now - start) / (law.ceiling - start), 0.0, 1.0))
    return Reading(done, {"a": law.a, "b": law.b, "ceiling": law.ceiling, "low": law.low, "high": law.high})
