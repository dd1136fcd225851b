"""What a match with a benchmark says."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Reason(StrEnum):
    """Which check found a match."""

    EXACT = "exact"
    NGRAM = "ngram"
    REWORDED = "reworded"
    SEMANTIC = "semantic"


class Match(NamedTuple):
    """A text that gives a benchmark item away: both indices, likeness in [0, 1], and the check that found it."""

    index: int  # type: ignore[assignment]
    benchmark_index: int
    similarity: float
    reason: Reason
