"""Groups without gradient: all right, or all wrong."""

from __future__ import annotations

from curriculum.detectors.protocol import History, Reading, detector


@detector("zero_variance", version="1", warn=0.7, critical=0.9, needs=("all_right", "all_wrong"), persist=3)
def zero_variance(history: History) -> Reading:
    """Share of groups that are all right or all wrong by verdict, median of 5 readings, in [0, 1].

    Inputs say which kind leads: mixtures move up against all right and down against all wrong.
    """
    right, wrong = history.last("all_right", 5), history.last("all_wrong", 5)
    kind = "all_right" if right >= wrong else "all_wrong"
    return Reading(right + wrong, {"all_right": right, "all_wrong": wrong, "kind": kind})
