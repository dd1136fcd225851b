"""Completions that repeat each other within a group."""

from __future__ import annotations

from curriculum.detectors.protocol import History, Reading, detector


@detector("duplicates", version="1", warn=0.85, critical=0.97, needs=("duplicate_rate",), persist=2)
def duplicates(history: History) -> Reading:
    """Share of completions equal to an earlier one of their group, among groups that are not all right, median of 3.

    In [0, 1): (G-1)/G for greedy sampling, so the caller scales by G/(G-1). All-right groups are left out, where
    short right answers must agree. A stray temperature of 0 shows at step 0.
    """
    rate = history.last("duplicate_rate", 3)
    return Reading(rate, {"duplicate_rate": rate, "start": history.first("duplicate_rate")})
