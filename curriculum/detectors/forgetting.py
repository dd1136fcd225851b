"""An arm that was mastered and no longer is."""

from __future__ import annotations

from curriculum.detectors.protocol import NOTHING, History, Reading, detector


@detector(
    "forgetting",
    version="3",
    warn=0.05,
    critical=0.2,
    needs=("forgetting_worst", "forgetting_high"),
    persist=1,
    cool_down=1,
)
def forgetting(history: History) -> Reading:
    """How much of pass@1 an arm has surely lost against its own best evaluation: -high where high < 0, else 0.

    `forgetting_worst` is the paired difference of the arm with the lowest upper end, `forgetting_high` that end at a
    level corrected for the number of arms. The near end, since the best of several evaluations was partly luck and
    a policy that learns moves each arm by .1 from one stage to the next.
    """
    worst, high = history.last("forgetting_worst"), history.last("forgetting_high")
    if worst != worst or high != high:
        return NOTHING
    return Reading(max(0.0, -high), {"worst": worst, "high": high})
