"""pass@k that falls between evaluations, by a paired comparison."""

from __future__ import annotations

from curriculum.detectors.protocol import NOTHING, History, Reading, detector


@detector(
    "pass_k_loss",
    version="1",
    warn=0.02,
    critical=0.03,
    needs=("pass@k_difference", "pass@k_high"),
    persist=1,
    cool_down=1,
    evidence=True,
)
def pass_k_loss(history: History) -> Reading:
    """Fall of pass@k against the best evaluation so far, paired over tasks; 0 unless its interval excludes 0.

    `pass@k_difference` and `pass@k_high` are a comparison's difference and upper end (`estimates.compare`); series
    `tasks_lost` and `pass@1_difference`, where present, go into the inputs.
    """
    difference, high = history.last("pass@k_difference"), history.last("pass@k_high")
    if difference != difference or high != high:
        return NOTHING
    inputs = {"difference": difference, "high": high}
    for extra in ("tasks_lost", "pass@1_difference"):
        if history.has(extra):
            inputs[extra] = history.last(extra)
    return Reading(-difference if high < 0 else 0.0, inputs)
