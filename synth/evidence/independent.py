"""Independent solver: the family's second algorithm, which reads only the prompt, gives an answer that is right."""

from __future__ import annotations

from collections.abc import Sequence

from synth.evidence.check import PASSED, Bench, Finding, Subject, check, failed, trusted, undecided
from warehouse.records import Judgement

LINEAGE = "second-algorithm"


def _has_solver(subject: Subject) -> bool:
    return subject.family is not None


@check("independent", version=1, lineage=LINEAGE, order=50, applies=_has_solver, independent=True)
def independent(subjects: Sequence[Subject], bench: Bench) -> list[Finding]:
    """Fails a task whose independent answer is judged wrong; undecided where the solver cannot tell."""
    findings: list[Finding] = [undecided("independent: no answer")] * len(subjects)
    answers = [subject.family.solve(subject.item) if subject.family else None for subject in subjects]
    places = [i for i, answer in enumerate(answers) if answer is not None]
    words = bench.judge(
        [subjects[i].task for i in places], [answers[i] or "" for i in places], trusted=trusted(subjects)
    )
    for i, word in zip(places, words, strict=True):
        findings[i] = _finding(word, answers[i] or "")
    return findings


def _finding(word: Judgement, answer: str) -> Finding:
    if word is Judgement.PASS:
        return PASSED
    if word.decided:
        return failed("independent: disagrees", answer=answer[:500], judgement=word)
    return undecided(f"independent: {word}")
