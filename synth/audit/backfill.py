"""Stored tasks under one check that is new, or newer than the one that admitted them."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from synth.audit.rejudging import signature, subject_of
from synth.evidence import Bench, Check, Subject, examine
from synth.evidence.admission import decided_by
from warehouse.records import Outcome, Status, StatusChange, Task, Verdict


class Backfilled(NamedTuple):
    """What one check said of one task: its verdict, and a change of status when it failed."""

    verdict: Verdict
    status: StatusChange | None


def unjudged(tasks: Sequence[Task], check: Check, decided: Collection[tuple[str, str]]) -> list[Subject]:
    """The tasks that `check` applies to and has not decided as it is now, as it examines them.

    `decided` holds pairs of a task and the signature of a verdict of this check that is a pass or a fail.
    """
    subjects = [subject_of(task) for task in tasks]
    return [one for one in subjects if check.applies(one) and (one.task.task_id, _signed(check, one)) not in decided]


def _signed(check: Check, subject: Subject) -> str:
    verifier = decided_by(check, subject)
    return signature(verifier.name, verifier.version)


def backfill(subjects: Sequence[Subject], check: Check, bench: Bench) -> list[Backfilled]:
    """One verdict for each subject; a task that fails is quarantined, one that could not be judged stays as it is."""
    return [_backfilled(examined.verdicts[0]) for examined in examine(subjects, bench, checks=[check])]


def _backfilled(verdict: Verdict) -> Backfilled:
    if verdict.outcome is not Outcome.FAIL:
        return Backfilled(verdict, None)
    reason = f"judged later: {verdict.reason or verdict.check}"
    return Backfilled(verdict, StatusChange(task_id=verdict.task_id, status=Status.QUARANTINED, reason=reason))
