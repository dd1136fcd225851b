"""Mutants: the tests of a code task must tell its reference from mutants of it."""

from __future__ import annotations

from collections.abc import Sequence

from synth.evidence.check import Bench, Finding, Output, Programs, Subject, check, failed, trusted, undecided
from synth.evidence.mutation import mutants as mutants_of
from synth.seeds import stream
from warehouse.records import Outcome

N_MUTANTS = 6
BAR = 0.75
"""Lowest mutation score, the share of mutants that some test kills, of an admitted task."""


def _python(subject: Subject) -> bool:
    """Whether the completion is Python: a program, or an expression that the scaffold returns."""
    scaffold = subject.task.scaffold
    return subject.task.answer_kind == "program" and (scaffold is None or "return {completion}" in scaffold)


@check("mutants", version=1, lineage="mutation", order=60, applies=_python)
def mutants(subjects: Sequence[Subject], bench: Bench) -> list[Finding]:
    """Fails a task whose tests kill too few of a sample of mutants; the score is in the evidence."""
    findings: list[Finding] = [undecided("mutants: the reference has none")] * len(subjects)
    jobs = [_job(subject) for subject in subjects]
    places = [i for i, job in enumerate(jobs) if job is not None]
    results = bench.outputs([job for job in jobs if job is not None], trusted=trusted(subjects))
    for i, outputs in zip(places, results, strict=True):
        findings[i] = _finding(subjects[i], outputs)
    return findings


def _job(subject: Subject) -> Programs | None:
    task = subject.task
    program = task.reference or ""
    if task.scaffold is not None:
        program = task.scaffold.replace("{completion}", program)
    try:
        edits = mutants_of(program)
    except (SyntaxError, RecursionError):
        return None
    if not edits:
        return None
    if len(edits) > N_MUTANTS:
        edits = stream("mutants", task.task_id).sample(edits, N_MUTANTS)
    return Programs(tuple(edits), task.entry or "", subject.graded)


def _finding(subject: Subject, outputs: list[list[Output]]) -> Finding:
    expected = [test.expected for test in subject.graded]
    killed = sum(any(_differs(output, right) for output, right in zip(row, expected, strict=True)) for row in outputs)
    score = round(killed / len(outputs), 4)
    if score < BAR:
        return failed("mutants: weak tests", score=score, n=len(outputs))
    return Finding(Outcome.PASS, None, {"score": score, "n": len(outputs)})


def _differs(output: Output, right: object) -> bool:
    return output.raised is not None or type(output.value) is not type(right) or output.value != right
