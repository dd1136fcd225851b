"""Judges that do not answer."""

from __future__ import annotations

from curriculum.detectors.protocol import History, Reading, detector


@detector("infrastructure", version="1", warn=0.1, critical=0.3, needs=("infra_rate",), persist=2, evidence=True)
def infrastructure(history: History) -> Reading:
    """Share of rollouts whose judgement is INFRA or UNDECIDED, median of 3, in [0, 1]."""
    rate = history.last("infra_rate", 3)
    return Reading(rate, {"infra_rate": rate})
