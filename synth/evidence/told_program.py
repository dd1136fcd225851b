"""Told program: where a task was written as a program first, the program returns the gold."""

from __future__ import annotations

import re
from collections.abc import Sequence

from synth.evidence.check import PASSED, Bench, Finding, Output, Programs, Subject, check, failed, undecided
from synth.math import Equality, prepare_gold
from synth.math import check as equal
from synth.sandbox import Test

ENTRY = "solve"
_FENCE = re.compile(r"```python\n(.*?)\n```", re.DOTALL)


def _program(subject: Subject) -> str | None:
    found = _FENCE.search(subject.task.reference or "")
    return found[1] if found and f"def {ENTRY}(" in found[1] else None


def _is_told(subject: Subject) -> bool:
    return subject.family is None and subject.task.answer_kind != "program" and _program(subject) is not None


@check("told_program", version=1, lineage="sandbox", order=45, applies=_is_told)
def told_program(subjects: Sequence[Subject], bench: Bench) -> list[Finding]:
    """Fails a task whose program raises, returns nothing or returns another value than its gold."""
    programs = [Programs((_program(subject) or "",), ENTRY, (Test(),)) for subject in subjects]
    return [_finding(subject, rows[0][0]) for subject, rows in zip(subjects, bench.outputs(programs), strict=True)]


def _finding(subject: Subject, output: Output) -> Finding:
    if output.raised is not None:
        return failed("told_program: raises", error=output.raised)
    told = str(output.value)
    word = equal(prepare_gold(subject.task.gold or "", subject.task.answer_kind), told)
    if word is Equality.EQUAL:
        return PASSED
    if word is Equality.NOT_EQUAL:
        return failed("told_program: returns another answer", returned=told[:200])
    return undecided(f"told_program: {word.value.lower()}")
