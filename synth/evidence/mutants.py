"""Mutants: the tests of a code task must tell its reference from mutants of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from synth.evidence.check import Bench, Finding, Output, Programs, Subject, check, failed, is_plain, trusted, undecided
from synth.evidence.mutation import mutants as mutants_of
from synth.sandbox import Test
from synth.seeds import stream
from warehouse.records import Judgement, Outcome

N_MUTANTS = 6
MUTANT_CPU_S = 0.5
"""CPU time that one mutant may use: an endless loop is killed too."""

BAR = 0.75
"""Lowest mutation score, the share of mutants that some test kills, of an admitted task."""


def _is_python(subject: Subject) -> bool:
    """Whether the completion is Python: a program, the end of one, or an expression that the scaffold returns.

    Not where many answers are right (`open_answer`), for there a mutant may be right too.
    """
    scaffold = subject.task.scaffold
    if subject.task.answer_kind != "program" or subject.task.params.get("open_answer") is True:
        return False
    return scaffold is None or "return {completion}" in scaffold or scaffold.endswith("{completion}")


@check("mutants", version=1, lineage="mutation", order=60, applies=_is_python)
def mutants(subjects: Sequence[Subject], bench: Bench) -> list[Finding]:
    """Fails a task whose tests kill too few of a sample of mutants; the score is in the evidence."""
    findings: list[Finding] = [undecided("mutants: the reference has none")] * len(subjects)
    edits = [_edits(subject) for subject in subjects]
    places = [i for i, programs in enumerate(edits) if programs]
    ours = trusted(subjects) and all(is_plain(test) for subject in subjects for test in subject.graded)
    count = _killed_together if ours else _killed_alone
    for i, killed in zip(places, count([(subjects[i], edits[i]) for i in places], bench), strict=True):
        findings[i] = _finding(killed)
    return findings


def _edits(subject: Subject) -> list[str]:
    """A sample of mutants of the reference program, the same for the same task."""
    task = subject.task
    program = task.reference or ""
    if task.scaffold is not None:
        program = task.scaffold.replace("{completion}", program)
    try:
        edits = mutants_of(program)
    except (SyntaxError, RecursionError):
        return []
    return stream("mutants", task.task_id).sample(edits, N_MUTANTS) if len(edits) > N_MUTANTS else edits


def _killed_together(jobs: list[tuple[Subject, list[str]]], bench: Bench) -> list[list[bool]]:
    programs = [Programs(tuple(edits), subject.task.entry or "", subject.graded) for subject, edits in jobs]
    return [
        [any(map(_differs, row, subject.graded)) for row in outputs]
        for (subject, _), outputs in zip(jobs, bench.outputs(programs, trusted=True), strict=True)
    ]


def _killed_alone(jobs: list[tuple[Subject, list[str]]], bench: Bench) -> list[list[bool]]:
    flat = [(replace(subject.task, scaffold=None), edit) for subject, edits in jobs for edit in edits]
    words = iter(bench.judge([task for task, _ in flat], [edit for _, edit in flat], cpu_s=MUTANT_CPU_S))
    return [[next(words) is not Judgement.PASS for _ in edits] for _, edits in jobs]


def _finding(killed: list[bool]) -> Finding:
    score = round(sum(killed) / len(killed), 4)
    if score < BAR:
        return failed("mutants: weak tests", score=score, n=len(killed))
    return Finding(Outcome.PASS, None, {"score": score, "n": len(killed)})


def _differs(output: Output, test: Test) -> bool:
    return output.raised is not None or type(output.value) is not type(test.expected) or output.value != test.expected
