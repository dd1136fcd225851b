"""Stored tasks judged again: a task is stale when a verifier that admitted it has another version by now."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from synth.evidence import CHECKS, Bench, Check, Subject, examine
from synth.evidence.admission import Examined, decided_by
from synth.family import FAMILIES
from synth.tasks import OWN_SOURCE, item_of, make_item
from warehouse.records import Domain, Outcome, Status, StatusChange, Task, Verdict

AgentChecks = Callable[[str], Sequence[Check]]
"""From a family of agent tasks to the evidence that its maker admits by."""


class Rejudged(NamedTuple):
    """A stale task after a new examination: its verdicts, and a change of status when it failed."""

    verdicts: tuple[Verdict, ...]
    status: StatusChange | None


def signature(verifier: str, version: str) -> str:
    """How a verifier at one version is written where verdicts are compared.

    >>> signature("synth.math", "1.1")
    'synth.math@1.1'
    """
    return f"{verifier}@{version}"


def stale(
    tasks: Sequence[Task], signed: Mapping[str, Mapping[str, str]], agents: AgentChecks | None = None
) -> list[Task]:
    """The tasks with a verdict by another version of its verifier than the installed one.

    `signed` maps a task id to the signature of the newest verdict of each check. A check that a task never had does
    not make it stale. Agent tasks are looked at where `agents` says what admits them.
    """
    return [
        task for task in tasks if _is_stale(subject_of(task), signed.get(task.task_id, {}), checks_of(task, agents))
    ]


def checks_of(task: Task, agents: AgentChecks | None) -> Sequence[Check]:
    """The checks that a task is judged again by: its maker's for an agent task, all registered ones for others."""
    if task.domain is not Domain.AGENT:
        return tuple(CHECKS)
    return agents(task.family) if agents is not None else ()


def _is_stale(subject: Subject, signed: Mapping[str, str], known: Sequence[Check]) -> bool:
    checks = [one for one in known if one.name in signed and one.applies(subject)]
    return any(signed[one.name] != signature(*decided_by(one, subject)[:2]) for one in checks)


def rejudge(tasks: Sequence[Task], bench: Bench, agents: AgentChecks | None = None) -> list[Rejudged | None]:
    """Each task under every check that applies to it; none where a check could not be made, which proves nothing."""
    kinds = {(task.family if task.domain is Domain.AGENT else ""): task for task in tasks}
    found: dict[str, Examined] = {}
    for kind, first in kinds.items():
        own = [task for task in tasks if (task.family if task.domain is Domain.AGENT else "") == kind]
        examined = examine([subject_of(task) for task in own], bench, checks=checks_of(first, agents))
        found |= {task.task_id: one for task, one in zip(own, examined, strict=True)}
    return [_rejudged(task, found[task.task_id]) for task in tasks]


def _rejudged(task: Task, examined: Examined) -> Rejudged | None:
    if any(verdict.outcome is Outcome.UNDECIDED for verdict in examined.verdicts):
        return None
    return Rejudged(examined.verdicts, _quarantine(task, examined.reason))


def _quarantine(task: Task, reason: str | None) -> StatusChange | None:
    if reason is None:
        return None
    return StatusChange(task_id=task.task_id, status=Status.QUARANTINED, reason=f"judged again: {reason}")


def subject_of(task: Task) -> Subject:
    """A stored task as checks examine it: with the family that made it where that has not moved on."""
    item = item_of(task)
    if task.source != OWN_SOURCE or task.family not in FAMILIES.names():
        return Subject(task, item)
    family = FAMILIES.get(task.family)
    if task.params.get("version") != family.version:
        return Subject(task, item)
    made = make_item(family, level=task.level, seed=int(str(task.params["seed"])), index=int(str(task.params["index"])))
    return Subject(task, made, family)
