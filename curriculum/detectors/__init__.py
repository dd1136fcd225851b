"""Detectors of collapse: pure functions of series, one a file."""

from curriculum.detectors.protocol import DETECTORS, Detector, Firing, History, Reading, detector
from curriculum.detectors.standardise import Gap, by_arm, paired_gap
from curriculum.detectors.watch import Watch

__all__ = ["DETECTORS", "Detector", "Firing", "Gap", "History", "Reading", "Watch", "by_arm", "detector", "paired_gap"]
