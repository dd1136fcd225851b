"""Gradients that spike or are not numbers."""

from __future__ import annotations

import numpy as np

from curriculum.detectors.protocol import NOTHING, History, Reading, detector

WINDOW = 50


@detector(
    "gradient", version="2", warn=8.0, critical=30.0, needs=("grad_norm",), persist=2, cool_down=10, evidence=True
)
def gradient(history: History) -> Reading:
    """Last norm over the running median of 50 norms before it; infinite at once for NaN or infinity.

    A norm of 0 is of a batch without signal and is no yardstick. Fewer than 8 other norms before say nothing.
    """
    x = history.values("grad_norm")
    if not np.isfinite(x[-1]):
        return Reading(float("inf"), {"grad_norm": "not finite"})
    before = x[-WINDOW - 1 : -1]
    before = before[np.isfinite(before) & (before > 0)]
    if len(before) < 8:
        return NOTHING
    median = float(np.median(before))
    return Reading(float(x[-1]) / median, {"grad_norm": float(x[-1]), "median": median})
