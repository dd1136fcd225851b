"""Passes that fall behind what the posteriors predict: the first to see a policy that falls, and free."""

from __future__ import annotations

import numpy as np

from curriculum.detectors.protocol import NOTHING, History, Reading, detector

WINDOW = 10


@detector(
    "pass_rate_gap", version="1", warn=3.0, critical=5.0, needs=("pass_rate_gap", "pass_rate_gap_se"), evidence=True
)
def pass_rate_gap(history: History) -> Reading:
    """-(mean gap) / SE over the last 10 readings, in standard errors; held under 3 unless the mean gap is below -.05.

    Gap = observed - predicted pass rate over the tasks drawn (`arm_gap`), so a change of mixture does not move it.
    """
    gap, se = history.values("pass_rate_gap"), history.values("pass_rate_gap_se")
    n = min(len(gap), len(se), WINDOW)
    good = np.isfinite(gap[-n:]) & np.isfinite(se[-n:]) & (se[-n:] > 0) if n else np.zeros(0, dtype=bool)
    if good.sum() < 2:
        return NOTHING
    recent, error = gap[-n:][good], se[-n:][good]
    weight = 1 / error**2
    mean = float((recent * weight).sum() / weight.sum())
    z = mean * float(np.sqrt(weight.sum()))
    inputs = {"gap": mean, "z": z, "readings": int(good.sum())}
    return Reading(-z if mean < -0.05 else max(0.0, min(-z, 2.9)), inputs)
