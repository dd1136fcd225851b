"""Entropy that explodes."""

from __future__ import annotations

from curriculum.detectors.protocol import NOTHING, History, Reading, detector


@detector("entropy_surge", version="1", warn=1.5, critical=2.5, needs=("entropy",), persist=2)
def entropy_surge(history: History) -> Reading:
    """H_now / max(lowest mean of 3 readings, H_start / 2, .1 nats): how far entropy has risen from its floor.

    Fewer than 4 finite readings say nothing.
    """
    x = history.clean("entropy")
    if len(x) < 4:
        return NOTHING
    low = min(float(x[i : i + 3].mean()) for i in range(len(x) - 2))
    now = history.last("entropy", 2)
    return Reading(now / max(low, history.first("entropy", 3) / 2, 0.1), {"low": low, "now": now})
