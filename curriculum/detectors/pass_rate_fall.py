"""A policy that got worse: pass@1 fell below what its stage, or the campaign, began with."""

from __future__ import annotations

from curriculum.detectors.protocol import NOTHING, History, Reading, detector


@detector(
    "pass_rate_fall",
    version="1",
    warn=0.02,
    critical=0.05,
    needs=("pass@1_fall", "pass@1_fall_high"),
    persist=1,
    cool_down=1,
    evidence=True,
)
def pass_rate_fall(history: History) -> Reading:
    """How much of pass@1 has surely been lost: -high where high < 0, else 0.

    `pass@1_fall` is the paired difference to the policy that the stage began with, or to the campaign's first where
    that fall is surer; `pass@1_fall_high` is its upper end (`estimates.compare`). A policy that only narrows gains
    pass@1.
    """
    fall, high = history.last("pass@1_fall"), history.last("pass@1_fall_high")
    if fall != fall or high != high:
        return NOTHING
    return Reading(max(0.0, -high), {"difference": fall, "high": high, **history.rise("entropy")})
