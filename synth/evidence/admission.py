"""Admission: every check in order, a verdict for each, and what that says of the task."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from synth.evidence.check import CHECKS, Bench, Check, Finding, Subject, refuse_same_lineage
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


def _verdict(one: Check, subject: Subject, finding: Finding) -> Verdict:
    verifier = f"{subject.family.name}.solve" if one.independent and subject.family else one.name
    version = f"{one.version}.{subject.family.version}" if one.independent and subject.family else str(one.version)
    return Verdict(
        task_id=subject.task.task_id,
        check=one.name,
        verifier=verifier,
        verifier_version=version,
        verifier_lineage=one.lineage,
        outcome=finding.outcome,
        reason=finding.reason,
        evidence=finding.evidence,
    )
