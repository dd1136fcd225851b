"""Worked answer: every calculator annotation of the reference computes what it states."""

from __future__ import annotations

from collections.abc import Sequence

from synth.annotations import evaluate, steps_of
from synth.evidence.check import PASSED, Bench, Finding, Subject, check, failed


def _is_annotated(subject: Subject) -> bool:
    return subject.task.answer_kind != "program" and bool(steps_of(subject.task.reference or ""))


@check("worked", version=1, lineage="arithmetic", order=15, applies=_is_annotated)
def worked(subjects: Sequence[Subject], bench: Bench) -> list[Finding]:
    """Fails a task whose worked answer states a wrong result, exact rationals deciding."""
    return [_finding(subject) for subject in subjects]


def _finding(subject: Subject) -> Finding:
    steps = steps_of(subject.task.reference or "") or []
    wrong = [step.expression for step in steps if evaluate(step.expression) != step.value]
    return failed("worked: a step does not compute", expression=wrong[0]) if wrong else PASSED
