"""Entropy that explodes."""

from __future__ import annotations

import numpy as np

from curriculum.detectors.protocol import NOTHING, History, Reading, detector


@detector("entropy_surge", version="1", warn=1.5, critical=2.5, needs=("entropy",), persist=2)
def entropy_surge(history: History) -> Reading:
    """H_now / max(lowest mean of 3 readings, H_start / 2, .1 nats): how far entropy has risen from its floor.

    Fewer than 4 finite readings say nothing.
    """
    x = history.clean("entropy")
    if len(x) < 4:
        return NOTHING
    low = float(np.convolve(x, np.full(3, 1 / 3), mode="valid").min())
    now = history.last("entropy", 2)
    return Reading(now / max(low, history.first("entropy", 3) / 2, 0.1), {"low": low, "now": now})
