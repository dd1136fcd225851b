"""Tasks that come back from an export, held against their own identity and recipe before any evidence is asked for."""

from __future__ import annotations

from dataclasses import asdict

from synth.evidence import Subject
from synth.family import FAMILIES
from synth.importers.corpus import Unfit
from synth.proposals import Generator, Proposal, generator_of
from synth.tasks import OWN_SOURCE, item_of, make_item, task_of, to_task
from warehouse.errors import UserError
from warehouse.records import Domain, Task, canonical_json

JUDGED_BY_PROGRAMS = (Domain.CODE, Domain.AGENT)
"""Domains whose tasks may have hidden tests, which an export leaves out unless they are named."""


def proposal_of(task: Task, index: int, *, hidden_tests: bool) -> Proposal:
    """The attempt that an exported task is, at place `index`; `hidden_tests` says that the export names them.

    No task where its tests cannot be read, where it is not what its id was made of, and where its family, at the
    version that is installed, makes another task from its recipe.
    """
    try:
        return Proposal(0, index, task.level, _subject(task, hidden_tests=hidden_tests))
    except Unfit as unfit:
        return Proposal(0, index, task.level, None, f"intake: {unfit}")


def maker_of(subject: Subject | None, task: Task, told: Generator | None) -> Generator:
    """Who made an exported task: its family where it made it again, else whom the export names, else the corpus."""
    if subject is not None and subject.family is not None:
        return generator_of(subject.family)
    return told or Generator(task.family, "imported", "1", f"corpus:{task.source}")


def _subject(task: Task, *, hidden_tests: bool) -> Subject:
    if task.domain is Domain.RUBRIC:
        raise Unfit("a rubric task is admitted by judges alone, which an import does not ask")
    try:
        item = item_of(task)
        named = task_of(item, domain=task.domain, family=task.family, level=task.level, params=dict(task.params))
    except (UserError, TypeError, ValueError):
        raise Unfit("its tests cannot be read") from None
    if named.task_id != task.task_id:
        stripped = not hidden_tests and task.domain in JUDGED_BY_PROGRAMS
        raise Unfit("its hidden tests were not exported" if stripped else "it is not the task that its id names")
    return _made_again(task) or Subject(task, item)


def _made_again(task: Task) -> Subject | None:
    """The task made by its own family; none where there is no such family at that version."""
    if task.source != OWN_SOURCE or task.family not in FAMILIES.names():
        return None
    family = FAMILIES.get(task.family)
    if task.params.get("version") != family.version:
        return None
    try:
        recipe = {"level": task.level, "seed": int(str(task.params["seed"])), "index": int(str(task.params["index"]))}
        item = make_item(family, **recipe)
    except (UserError, KeyError, ValueError):
        raise Unfit("its recipe cannot be read") from None
    made = to_task(family, item, **recipe)
    if canonical_json(asdict(made)) != canonical_json(asdict(task)):
        raise Unfit("its recipe makes another task")
    return Subject(made, item, family)
