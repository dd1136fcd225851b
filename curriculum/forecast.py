"""Where entropy is going: the straight line through its logarithm, carried on."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import stats


class Forecast(NamedTuple):
    """Entropy `ahead` steps after the last, in nats/token, with a 95 % prediction interval; steps to half of it.

    `half_life` is infinite where entropy does not fall.
    """

    value: float
    low: float
    high: float
    half_life: float


def forecast(steps: npt.ArrayLike, entropy: npt.ArrayLike, ahead: int, *, window: int = 60) -> Forecast | None:
    """ln H = a + b * step by least squares over the last `window` finite, positive readings, `ahead` steps on.

    None with fewer than 4 readings or none apart.

    >>> round(forecast([0, 1, 2, 3], [1.0, 0.5, 0.25, 0.125], 1).value, 4)
    0.0625
    """
    t, h = np.asarray(steps, dtype=np.float64), np.asarray(entropy, dtype=np.float64)
    good = np.isfinite(h) & (h > 0)
    t, y = t[good][-window:], np.log(h[good][-window:])
    if len(t) < 4 or float(np.ptp(t)) == 0:
        return None
    line = stats.linregress(t, y)
    slope, level = float(line.slope), float(line.intercept)
    at = float(t[-1]) + ahead
    middle = level + slope * at
    residual = y - level - slope * t
    spread = float(residual @ residual) / (len(t) - 2)
    error = np.sqrt(spread * (1 + 1 / len(t) + (at - t.mean()) ** 2 / float(np.sum((t - t.mean()) ** 2))))
    half = float(stats.t.ppf(0.975, len(t) - 2) * error)
    low, value, high = (float(np.exp(min(x, 20.0))) for x in (middle - half, middle, middle + half))
    return Forecast(value, low, high, float(np.log(2) / -slope) if slope < 0 else float("inf"))
