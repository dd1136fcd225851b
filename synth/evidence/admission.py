"""Admission: every check in order, a verdict for each, and what that says of the task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from synth.evidence.check import CHECKS, Bench, Check, Finding, Subject, refuse_same_lineage
from synth.graders.verifier import MATH, Verifier, verifier_of
from synth.tasks import OWN_LINEAGE
from warehouse.records import Outcome, Status, Verdict


class Examined(NamedTuple):
    """A subject's verdicts, why it is not admitted (none: it is), and where it stands."""

    verdicts: tuple[Verdict, ...]
    reason: str | None
    status: Status


def examine(
    subjects: Sequence[Subject],
    bench: Bench,
    *,
    checks: Sequence[Check] | None = None,
    generator: str = "family",
    lineage: str = OWN_LINEAGE,
) -> list[Examined]:
    """Runs the checks, cheap ones first; a subject that one does not pass is not examined further.

    Raises `UserError` when an independent check is of the generator's own lineage.
    """
    wanted = sorted(CHECKS if checks is None else checks, key=lambda one: one.order)
    for one in wanted:
        if one.independent:
            refuse_same_lineage(generator, lineage, one.name, one.lineage)
    verdicts: list[list[Verdict]] = [[] for _ in subjects]
    stopped: list[Finding | None] = [None] * len(subjects)
    for one in wanted:
        places = [i for i, subject in enumerate(subjects) if stopped[i] is None and one.applies(subject)]
        if not places:
            continue
        for i, finding in zip(places, one.examine([subjects[i] for i in places], bench), strict=True):
            verdicts[i].append(_verdict(one, subjects[i], finding))
            if finding.outcome is not Outcome.PASS:
                stopped[i] = finding
    return [
        Examined(tuple(rows), stop.reason if stop else None, _status(stop))
        for rows, stop in zip(verdicts, stopped, strict=True)
    ]


def _status(stop: Finding | None) -> Status:
    if stop is None:
        return Status.ACCEPTED
    return Status.QUARANTINED if stop.quarantine else Status.REJECTED


def decided_by(one: Check, subject: Subject) -> Verifier:
    """Who decides in a check, at the check's own version joined with that of what it decides by.

    That is the family's second algorithm in an independent check, and the judge of the task's domain in a check
    of the lineage `judge` or `synth.math`; in a check by a model, that model.
    """
    if one.by is not None:
        return Verifier(one.by[0], f"{one.version}.{one.by[1]}", one.lineage)
    if one.independent and subject.family:
        return Verifier(f"{subject.family.name}.solve", f"{one.version}.{subject.family.version}", one.lineage)
    if one.lineage in ("judge", MATH.lineage):
        verifier = verifier_of(subject.task.domain)
        return Verifier(verifier.name, f"{one.version}.{verifier.version}", one.lineage)
    return Verifier(one.name, str(one.version), one.lineage)


def _verdict(one: Check, subject: Subject, finding: Finding) -> Verdict:
    verifier = decided_by(one, subject)
    return Verdict(
        task_id=subject.task.task_id,
        check=one.name,
        verifier=verifier.name,
        verifier_version=verifier.version,
        verifier_lineage=verifier.lineage,
        outcome=finding.outcome,
        reason=finding.reason,
        evidence=finding.evidence,
    )
