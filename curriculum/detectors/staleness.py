"""Samples from a policy that is no longer the one being trained."""

from __future__ import annotations

from curriculum.detectors.protocol import NOTHING, History, Reading, detector


@detector("staleness", version="2", warn=0.3, critical=0.6, needs=("effective_sample_share",), persist=2)
def staleness(history: History) -> Reading:
    """max(1 - ESS/n, masked share) now; ESS/n = (sum w)^2 / (n sum w^2) of the importance weights.

    `masked_share`, where present, is the share of completions that a correction zeroed. A step's weights are many
    enough to need no smoothing beside the two looks in a row.
    """
    share = history.last("effective_sample_share")
    if share != share:
        return NOTHING
    masked = history.last("masked_share") if history.has("masked_share") else 0.0
    return Reading(max(1 - share, masked), {"effective_sample_share": share, "masked_share": masked})
