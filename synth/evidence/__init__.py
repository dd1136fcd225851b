"""Evidence before admission: checks of a task, one a file, each with a three-valued verdict."""

from synth.evidence.admission import Examined, examine
from synth.evidence.check import CHECKS, Bench, Check, Finding, Subject, check, refuse_same_lineage

__all__ = ["CHECKS", "Bench", "Check", "Examined", "Finding", "Subject", "check", "examine", "refuse_same_lineage"]
