"""Passes that fall behind those of the same tasks before: the first to see a policy that falls."""

from __future__ import annotations

import numpy as np

from curriculum.detectors.protocol import NOTHING, History, Reading, detector

WINDOW = 3


@detector(
    "pass_rate_gap",
    version="2",
    warn=2.5,
    critical=4.0,
    needs=("pass_rate_gap", "pass_rate_gap_se", "pass_rate_gap_start_se"),
    evidence=True,
)
def pass_rate_gap(history: History) -> Reading:
    """-(mean gap) / SE over the last 3 readings, in standard errors; held under 2.5 unless the mean gap is below -.05.

    Gap = pass rate now minus at the start over the same tasks (`paired_gap`), so a change of mixture does not move it.
    SE^2 = 1 / sum(1/se^2) + start_se^2: every reading is measured against one start.
    """
    gap, se = history.values("pass_rate_gap")[-WINDOW:], history.values("pass_rate_gap_se")[-WINDOW:]
    if len(gap) != len(se):
        return NOTHING
    good = np.isfinite(gap) & np.isfinite(se) & (se > 0)
    if not good.any():
        return NOTHING
    weight = 1 / se[good] ** 2
    mean = float((gap[good] * weight).sum() / weight.sum())
    z = mean / float(np.sqrt(1 / weight.sum() + history.last("pass_rate_gap_start_se") ** 2))
    inputs = {"gap": mean, "z": z, "readings": int(good.sum()), **history.rise("entropy")}
    return Reading(-z if mean < -0.05 else max(0.0, min(-z, 2.4)), inputs)
