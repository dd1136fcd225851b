"""Oracle audit: a task of a foreign generator is admitted where that generator's own scorer was found sound."""

from __future__ import annotations

from collections.abc import Sequence

from synth.evidence.check import PASSED, Bench, Finding, Subject, check, quarantined


def _is_audited(subject: Subject) -> bool:
    return "audit" in subject.task.params


@check("oracle_audit", version=1, lineage="audit", order=12, applies=_is_audited)
def oracle_audit(subjects: Sequence[Subject], bench: Bench) -> list[Finding]:
    """Quarantines a task whose origin's scorer rejects right answers, accepts wrong ones or has several right ones."""
    found = [str(subject.task.params["audit"]) for subject in subjects]
    return [PASSED if word == "sound" else quarantined(f"oracle_audit: {word}") for word in found]
