"""Gradients that spike or are not numbers."""

from __future__ import annotations

import numpy as np

from curriculum.detectors.protocol import NOTHING, History, Reading, detector

WINDOW = 50


@detector(
    "gradient", version="1", warn=8.0, critical=30.0, needs=("grad_norm",), persist=2, cool_down=10, evidence=True
)
def gradient(history: History) -> Reading:
    """Last norm over the running median of 50 norms before it; infinite at once for NaN or infinity.

    Fewer than 8 finite norms before say nothing.
    """
    x = history.values("grad_norm")
    if not np.isfinite(x[-1]):
        return Reading(float("inf"), {"grad_norm": "not finite"})
    before = x[-WINDOW - 1 : -1]
    before = before[np.isfinite(before)]
    if len(before) < 8:
        return NOTHING
    median = max(float(np.median(before)), 1e-8)
    return Reading(float(x[-1]) / median, {"grad_norm": float(x[-1]), "median": median})
