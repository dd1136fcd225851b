"""Reference: a right completion passes its own task, for code on several hash seeds."""

from __future__ import annotations

from collections.abc import Sequence

from synth.evidence.check import PASSED, Bench, Finding, Subject, check, failed, quarantined, trusted, undecided
from warehouse.records import Judgement

N_REPLAYS = 2
"""Further runs of a program on other hash and random seeds."""


@check("reference", version=1, lineage="judge", order=40)
def reference(subjects: Sequence[Subject], bench: Bench) -> list[Finding]:
    """Fails a task without a reference, one whose reference is judged wrong, and one judged differently on replay."""
    findings: list[Finding] = [failed("reference: none")] * len(subjects)
    places = [i for i, subject in enumerate(subjects) if subject.task.reference is not None]
    tasks = [subjects[i].task for i in places]
    words = bench.judge(tasks, [task.reference or "" for task in tasks], trusted=trusted(subjects), replays=N_REPLAYS)
    for i, word in zip(places, words, strict=True):
        findings[i] = _finding(word)
    return findings


def _finding(word: Judgement) -> Finding:
    if word is Judgement.PASS:
        return PASSED
    if word is Judgement.UNSTABLE:
        return quarantined("reference: unstable")
    return failed(f"reference: {word}") if word.decided else undecided(f"reference: {word}")
