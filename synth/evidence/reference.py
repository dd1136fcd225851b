"""Reference: a right completion passes its own task, for code on several hash seeds."""

from __future__ import annotations

from collections.abc import Sequence

from synth.evidence.check import PASSED, Bench, Finding, Subject, check, failed, undecided
from warehouse.records import Judgement


@check("reference", version=1, lineage="judge", order=40)
def reference(subjects: Sequence[Subject], bench: Bench) -> list[Finding]:
    """Fails a task without a reference, one whose reference is judged wrong, and one judged differently on replay."""
    findings: list[Finding] = [failed("reference: none")] * len(subjects)
    for is_program, run in ((False, bench.judge), (True, bench.repeat)):
        places = [
            i
            for i, subject in enumerate(subjects)
            if subject.task.reference is not None and (subject.task.answer_kind == "program") is is_program
        ]
        words = run([subjects[i].task for i in places], [subjects[i].task.reference or "" for i in places])
        for i, word in zip(places, words, strict=True):
            findings[i] = _finding(word)
    return findings


def _finding(word: Judgement) -> Finding:
    if word is Judgement.PASS:
        return PASSED
    if word is Judgement.UNSTABLE:
        return failed("reference: unstable")
    return failed(f"reference: {word}") if word.decided else undecided(f"reference: {word}")
