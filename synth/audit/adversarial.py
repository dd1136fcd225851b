"""The adversarial bucket: tasks that look right and are not, made from accepted ones, to measure what admits tasks.

Covered: a wrong gold with a reference that agrees with it, a question without its numbers, a question that contradicts
itself, an answer that stands in the prompt, tests that every program passes, tests that contradict each other. Not
covered: defects that only a reader who knows the world would see.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from synth.answers import boxed
from synth.demonstrations import corrupted
from synth.evidence import CHECKS, Bench, Check, Examined, Subject, examine
from synth.family import FAMILIES
from synth.math import Equality, check, prepare_gold
from synth.sandbox import Test, dump_tests, load_tests
from synth.seeds import stream
from synth.tasks import OWN_SOURCE, item_of
from warehouse.records import Domain, JsonValue, Outcome, Status, StatusChange, Task, TaskKind, Verdict, content_hash

CHECK = "adversarial"
VERSION = 1
LINEAGE = "planted"
"""What the planted tasks are of: no checker's lineage, so that any may be measured."""
UNVERIFIED = "unverified: nobody of another lineage has confirmed it"
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")

Plant = Callable[[Task], Task | None]


class Planted(NamedTuple):
    """A task with one defect, and whether its prompt is that of the task it was made from."""

    defect: str
    task: Task
    same_prompt: bool


@dataclass(frozen=True, slots=True)
class Attacked:
    """What admission said of a planted task: `refused_by` is the reason, none when the task was admitted."""

    planted: Planted
    examined: Examined
    refused_by: str | None

    @property
    def admitted(self) -> bool:
        """Whether evidence passed a task that is wrong."""
        return self.refused_by is None

    def rows(self) -> Iterator[Task | StatusChange | Verdict]:
        """The task in its own bucket, never accepted, and a verdict on evidence as a whole and on each model in it."""
        task, defect = self.planted.task, self.planted.defect
        yield task
        reason = f"adversarial: {defect}"
        yield StatusChange(task_id=task.task_id, status=Status.QUARANTINED, reason=reason)
        yield self._verdict(f"evidence on {defect}", str(VERSION), "evidence", self.admitted)
        for row in self.examined.verdicts:
            if row.check in ("blind", "matrix") and row.outcome is not Outcome.UNDECIDED:
                accepted = row.outcome is Outcome.PASS
                yield self._verdict(f"{row.verifier} on {defect}", row.verifier_version, row.verifier_lineage, accepted)

    def _verdict(self, verifier: str, version: str, lineage: str, accepted: bool) -> Verdict:
        evidence: dict[str, JsonValue] = {
            "defect": self.planted.defect,
            "refused_by": self.refused_by,
            "n_wrong": 1,
            "n_false_accept": int(accepted),
            "n_right": 0,
            "n_false_reject": 0,
            "n_undecided": 0,
        }
        return Verdict(
            task_id=self.planted.task.task_id,
            check=CHECK,
            verifier=verifier,
            verifier_version=version,
            verifier_lineage=lineage,
            outcome=Outcome.FAIL if accepted else Outcome.PASS,
            reason=f"adversarial: {self.planted.defect} admitted" if accepted else None,
            evidence=evidence,
        )


def attack(
    tasks: Sequence[Task],
    bench: Bench,
    *,
    checks: Sequence[Check] | None = None,
    written: Collection[str] = (),
) -> list[Attacked]:
    """Admission's word on every task that can be planted from `tasks`; the same tasks give the same defects.

    A family's second algorithm takes part where the prompt is unchanged. What is planted in a task of our own families
    or in one of those `written` by models (by id) passes only where an independent check confirms it, as in synthesis.
    """
    planted = [one for task in tasks for one in plants(task)]
    subjects = [_subject(one) for one in planted]
    chosen = list(CHECKS if checks is None else checks)
    found = examine(subjects, bench, checks=chosen, generator=LINEAGE, lineage=LINEAGE)
    independent, written_ids = {one.name for one in chosen if one.independent}, frozenset(written)
    attacked = []
    for one, examined in zip(planted, found, strict=True):
        reason = examined.reason
        confirmed = any(row.check in independent and row.outcome is Outcome.PASS for row in examined.verdicts)
        claimed = one.task.source == OWN_SOURCE or not written_ids.isdisjoint(one.task.parents)
        if claimed and not confirmed:
            reason = reason or UNVERIFIED
        attacked.append(Attacked(one, examined, reason))
    return attacked


def plants(task: Task) -> list[Planted]:
    """The task with each defect that can be planted in it, one at a time."""
    found = []
    for defect, plant in PLANTS.items():
        made = plant(task)
        if made is not None:
            found.append(Planted(defect, _bucketed(task, made, defect), made.prompt == task.prompt))
    return found


def wrong_gold(task: Task) -> Task | None:
    """Another gold, and a reference that agrees with it."""
    if task.gold is None:
        return None
    gold = corrupted(task.gold, stream("adversarial", task.task_id))
    word = check(prepare_gold(task.gold, task.answer_kind), gold)
    if word is not Equality.NOT_EQUAL or prepare_gold(gold, task.answer_kind).invalid is not None:
        return None
    format = task.params.get("answer_format", "boxed")
    reference = gold if format == "bare" else f"#### {gold}" if format == "gsm8k" else boxed(gold)
    return replace(task, gold=gold, reference=reference)


def unsolvable(task: Task) -> Task | None:
    """A question in words whose every number is gone."""
    if task.gold is None or not _in_words(task.prompt) or len(_NUMBER.findall(task.prompt)) < 2:
        return None
    return replace(task, prompt=_NUMBER.sub("some", task.prompt))


def contradictory(task: Task) -> Task | None:
    """A question that first says one number, then another for the same quantity."""
    sentence = task.prompt.split(". ")[0]
    numbers = _NUMBER.findall(sentence)
    if task.gold is None or not _in_words(task.prompt) or not numbers or ". " not in task.prompt:
        return None
    other = corrupted(numbers[0], stream("contradictory", task.task_id))
    return replace(task, prompt=f"{sentence.replace(numbers[0], other, 1)}. {task.prompt}")


def answer_shown(task: Task) -> Task | None:
    """A question that states its answer in the form in which it is asked for."""
    return None if task.gold is None else replace(task, prompt=f"{task.prompt}\n{boxed(task.gold)}")


def weak_tests(task: Task) -> Task | None:
    """Tests that every program passes."""
    if task.domain is not Domain.CODE or task.scaffold is not None or not task.entry:
        return None
    tests = dump_tests([Test(check="def check(candidate):\n    assert callable(candidate)\n")])
    return replace(task, tests=None, hidden_tests=tests)


def contradictory_tests(task: Task) -> Task | None:
    """One call that must return two things."""
    tests = load_tests(task.hidden_tests or "[]")
    if task.domain is not Domain.CODE or not tests or tests[0].check is not None:
        return None
    return replace(task, hidden_tests=dump_tests([*tests, replace(tests[0], expected="something else")]))


PLANTS: dict[str, Plant] = {
    plant.__name__: plant
    for plant in (wrong_gold, unsolvable, contradictory, answer_shown, weak_tests, contradictory_tests)
}
"""Every defect by its name."""


def _in_words(prompt: str) -> bool:
    return len(re.findall(r"[A-Za-z]{3,}", prompt)) >= 8


def _bucketed(parent: Task, made: Task, defect: str) -> Task:
    identity = content_hash("adversarial", VERSION, defect, parent.task_id)
    params: dict[str, JsonValue] = {**made.params, "defect": defect}
    return replace(made, task_id=identity, params=params, parents=(parent.task_id,), kind=TaskKind.ADVERSARIAL)


def _subject(planted: Planted) -> Subject:
    task = planted.task
    item = item_of(task)
    ours = task.source == OWN_SOURCE and planted.same_prompt and task.family in FAMILIES.names()
    return Subject(task, item, FAMILIES.get(task.family) if ours else None)
