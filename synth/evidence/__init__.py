"""Evidence before admission: checks of a task, one a file, each with a three-valued verdict."""

from synth.evidence.admission import Examined, examine
from synth.evidence.blind import blind_check
from synth.evidence.check import CHECKS, Bench, Check, Finding, Subject, check, refuse_same_lineage
from synth.evidence.consensus import Rule, Votes, weigh

__all__ = [
    "CHECKS",
    "Bench",
    "Check",
    "Examined",
    "Finding",
    "Rule",
    "Subject",
    "Votes",
    "blind_check",
    "check",
    "examine",
    "refuse_same_lineage",
    "weigh",
]
