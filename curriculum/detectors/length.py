"""Completions that run into the limit, or grow and grow."""

from __future__ import annotations

import math

from curriculum.detectors.protocol import History, Reading, detector


@detector("length", version="1", warn=0.25, critical=0.5, needs=("truncated_rate",), persist=2)
def length(history: History) -> Reading:
    """max(truncated share, (log2 of length now / start) / 4), medians of 3: four times as long is critical.

    A start that is already truncated counts only for what was added.
    """
    truncated = history.last("truncated_rate", 3)
    start = history.first("truncated_rate", 3)
    growth = 0.0
    now, first = history.last("n_tokens", 3), history.first("n_tokens", 3)
    if first == first and now == now and first > 0 and now > 0:
        growth = max(0.0, math.log2(now / first) / 4)
    inputs = {"truncated_rate": truncated, "start": start, "growth": growth}
    return Reading(max(truncated - min(start, 0.5) * 0.5, growth), inputs)
