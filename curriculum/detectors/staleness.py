"""Samples from a policy that is no longer the one being trained."""

from __future__ import annotations

import numpy as np

from curriculum.detectors.protocol import NOTHING, History, Reading, detector

OLD = 32.0
"""Steps behind the trained policy at which samples are wholly stale, whatever their weights say."""


@detector("staleness", version="4", warn=0.3, critical=0.6, needs=("effective_sample_share",), persist=1)
def staleness(history: History) -> Reading:
    """max(1 - ESS/n, masked share, age / 32), medians of 5 steps but for the age; ESS/n = (sum w)^2 / (n sum w^2).

    `masked_share`, where present, is the share of completions that a correction zeroed, and `sample_age` the steps
    since the weights that sampled were the newest, which is exact: a sampler that no longer follows shows there before
    its samples weigh too little.
    """
    share = history.last("effective_sample_share", 5)
    if share != share:
        return NOTHING
    masked = history.last("masked_share", 5) if history.has("masked_share") else 0.0
    age = history.last("sample_age") if history.has("sample_age") else 0.0
    inputs = {"effective_sample_share": share, "masked_share": masked, "sample_age": age}
    return Reading(float(np.nanmax([1 - share, masked, min(age / OLD, 1.0)])), inputs)
