"""pass@k that falls between evaluations, by a paired comparison."""

from __future__ import annotations

from curriculum.detectors.protocol import NOTHING, History, Reading, detector

RECOVERING, UNDER_CRITICAL = 0.01, 0.029


@detector(
    "pass_k_loss",
    version="2",
    warn=0.02,
    critical=0.03,
    needs=("pass@k_difference", "pass@k_high"),
    persist=1,
    cool_down=1,
    evidence=True,
)
def pass_k_loss(history: History) -> Reading:
    """Fall of pass@k against the best evaluation so far, paired over tasks; 0 unless its interval excludes 0.

    A loss that is shrinking (by .01 or more since the look before) stays under critical: what was done about it works.
    `pass@k_difference` and `pass@k_high` are a comparison's difference and upper end (`estimates.compare`); series
    `tasks_lost` and `pass@1_difference`, where present, go into the inputs.
    """
    difference, high = history.last("pass@k_difference"), history.last("pass@k_high")
    if difference != difference or high != high:
        return NOTHING
    inputs = {"difference": difference, "high": high, **history.rise("entropy")}
    for extra in ("tasks_lost", "pass@1_difference"):
        if history.has(extra):
            inputs[extra] = history.last(extra)
    if high >= 0:
        return Reading(0.0, inputs)
    before = history.clean("pass@k_difference")[:-1]
    recovers = len(before) > 0 and difference >= before[-1] + RECOVERING
    return Reading(min(-difference, UNDER_CRITICAL) if recovers else -difference, inputs)
