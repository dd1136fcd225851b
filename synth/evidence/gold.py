"""Gold: the right answer parses under its declared kind, once, at build time."""

from __future__ import annotations

from collections.abc import Sequence

from synth.evidence.check import PASSED, Bench, Finding, Subject, check, failed
from synth.math import prepare_gold


def _has_gold(subject: Subject) -> bool:
    return subject.task.answer_kind != "program"


@check("gold", version=1, lineage="synth.math", order=10, applies=_has_gold)
def gold(subjects: Sequence[Subject], bench: Bench) -> list[Finding]:
    """Fails a task without a gold, or with one that is not of its kind."""
    return [_finding(subject) for subject in subjects]


def _finding(subject: Subject) -> Finding:
    text = subject.task.gold
    if text is None:
        return failed("gold: none")
    prepared = prepare_gold(text, subject.task.answer_kind)
    return PASSED if prepared.invalid is None else failed("gold: invalid", detail=prepared.invalid)
