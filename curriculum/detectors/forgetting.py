"""An arm that was mastered and no longer is."""

from __future__ import annotations

from curriculum.detectors.protocol import NOTHING, History, Reading, detector


@detector(
    "forgetting",
    version="1",
    warn=0.05,
    critical=0.15,
    needs=("forgetting_worst", "forgetting_high"),
    persist=1,
    cool_down=1,
)
def forgetting(history: History) -> Reading:
    """Largest fall of pass@1 of any arm against its own best evaluation; 0 unless its interval excludes 0.

    `forgetting_worst` is the most negative paired difference over arms, `forgetting_high` its upper end at a level
    corrected for the number of arms.
    """
    worst, high = history.last("forgetting_worst"), history.last("forgetting_high")
    if worst != worst or high != high:
        return NOTHING
    return Reading(-worst if high < 0 else 0.0, {"worst": worst, "high": high})
