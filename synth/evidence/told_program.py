"""Told program: where a task was written as a program first, the program returns the gold."""

from __future__ import annotations

from collections.abc import Sequence

from synth.evidence.check import PASSED, Bench, Finding, Output, Programs, Subject, check, failed, undecided
from synth.math import Equality, prepare_gold
from synth.math import check as equal
from synth.sandbox import Test
from synth.writers.forms import SOLVE, program_in


def _is_told(subject: Subject) -> bool:
    told = subject.family is None and subject.task.answer_kind != "program"
    return told and program_in(subject.task.reference or "") is not None


@check("told_program", version=1, lineage="sandbox", order=45, applies=_is_told)
def told_program(subjects: Sequence[Subject], bench: Bench) -> list[Finding]:
    """Fails a task whose program raises, returns nothing or returns another value than its gold."""
    programs = [Programs((program_in(subject.task.reference or "") or "",), SOLVE, (Test(),)) for subject in subjects]
    return [_finding(subject, rows[0][0]) for subject, rows in zip(subjects, bench.outputs(programs), strict=True)]


def _finding(subject: Subject, output: Output) -> Finding:
    if output.raised is not None:
        return failed("told_program: raises", error=output.raised)
    try:
        told = str(output.value)
    except ValueError:
        return failed("told_program: returns more digits than can be written")
    word = equal(prepare_gold(subject.task.gold or "", subject.task.answer_kind), told)
    if word is Equality.EQUAL:
        return PASSED
    if word is Equality.NOT_EQUAL:
        return failed("told_program: returns another answer", returned=told[:200])
    return undecided(f"told_program: {word.value.lower()}")
