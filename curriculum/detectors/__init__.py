"""Detectors of collapse: pure functions of series, one a file."""

from curriculum.detectors.protocol import DETECTORS, Detector, Firing, History, Reading, detector
from curriculum.detectors.standardise import ArmGap, arm_gap, by_arm
from curriculum.detectors.watch import Watch

__all__ = ["DETECTORS", "ArmGap", "Detector", "Firing", "History", "Reading", "Watch", "arm_gap", "by_arm", "detector"]
