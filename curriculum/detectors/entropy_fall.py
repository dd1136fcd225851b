"""Entropy that has died: how little is left of what the run started with."""

from __future__ import annotations

import numpy as np

from curriculum.detectors.protocol import NOTHING, History, Reading, detector


@detector("entropy_fall", version="1", warn=0.5, critical=0.85, needs=("entropy",), persist=2)
def entropy_fall(history: History) -> Reading:
    """1 - H_now / H_start over medians of 3 readings, in (-inf, 1]; inputs hold the half-life in readings.

    Entropy in nats/token at temperature 1, standardised by arm. Most of it goes early (arXiv:2505.22617), so it
    never acts alone. Fewer than 4 finite readings, or a start at 0, say nothing.
    """
    x = history.clean("entropy")
    if len(x) < 4 or history.first("entropy", 3) <= 0:
        return NOTHING
    start, now = history.first("entropy", 3), history.last("entropy", 3)
    half = float("nan")
    positive = x > 0
    if positive.sum() >= 4:
        slope = float(np.polyfit(np.flatnonzero(positive), np.log(x[positive]), 1)[0])
        half = float(np.log(2) / -slope) if slope < 0 else float("inf")
    inputs = {"start": start, "now": now, "half_life": half if np.isfinite(half) else None}
    return Reading(1 - now / start, inputs)
