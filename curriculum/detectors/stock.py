"""A frontier that runs out of tasks."""

from __future__ import annotations

from curriculum.detectors.protocol import NOTHING, History, Reading, detector


@detector("stock", version="1", warn=0.5, critical=0.8, needs=("stock_batches",), persist=2, cool_down=50)
def stock(history: History) -> Reading:
    """1 / (1 + batches / 20), in (0, 1]: .5 at 20 batches of expected mixed groups, .8 at 5."""
    batches = history.last("stock_batches")
    if batches != batches:
        return NOTHING
    return Reading(1 / (1 + max(batches, 0.0) / 20), {"stock_batches": batches})
