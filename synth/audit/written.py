"""Tasks that a model wrote, held against the program of the family in whose form they are: neither model saw it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from synth.evidence.check import Bench
from synth.family import FAMILIES, Item
from synth.tasks import OWN_LINEAGE
from warehouse.records import JsonValue, Judgement, Outcome, Task, Verdict

CHECK = "program audit"
WRONG = "audit: the family's program gives another answer"


def audit_written(
    tasks: Sequence[Task], bench: Bench, notes: Mapping[str, Mapping[str, JsonValue]] | None = None
) -> list[Verdict]:
    """One verdict a task: whether the gold that a model wrote is what the family's `solve` answers.

    Undecided where there is no such family or its program cannot tell. `notes` are added to a task's evidence.
    """
    answers = [_answer(task) for task in tasks]
    places = [place for place, answer in enumerate(answers) if answer is not None]
    words = bench.judge([tasks[i] for i in places], [answers[i] or "" for i in places])
    judged = dict(zip(places, words, strict=True))
    return [
        _verdict(task, answers[place], judged.get(place), (notes or {}).get(task.task_id, {}))
        for place, task in enumerate(tasks)
    ]


def _answer(task: Task) -> str | None:
    if task.family not in FAMILIES.names():
        return None
    item = Item(prompt=task.prompt, answer_kind=task.answer_kind, reference="")
    return FAMILIES.get(task.family).solve(item)


def _verdict(task: Task, answer: str | None, word: Judgement | None, notes: Mapping[str, JsonValue]) -> Verdict:
    known = task.family in FAMILIES.names()
    outcome, reason = Outcome.PASS, None
    if word is None or not word.decided:
        outcome, reason = Outcome.UNDECIDED, f"audit: {word or 'no program tells'}"
    elif word is not Judgement.PASS:
        outcome, reason = Outcome.FAIL, WRONG
    return Verdict(
        task_id=task.task_id,
        check=CHECK,
        verifier=f"{task.family}.solve",
        verifier_version=str(FAMILIES.get(task.family).version) if known else "0",
        verifier_lineage=OWN_LINEAGE,
        outcome=outcome,
        reason=reason,
        evidence={"answer": answer, **notes},
    )
