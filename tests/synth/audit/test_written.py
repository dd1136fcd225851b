"""The families' programs audit what a model wrote: right, wrong and unknown are told apart."""

from __future__ import annotations

import itertools

import pytest

from synth.audit.written import WRONG, audit_written
from synth.bench import SandboxBench
from synth.family import FAMILIES, Item
from synth.graders import Judge
from synth.tasks import make_item, task_of
from synth.writers.styles.pocket import FORMS
from warehouse.records import Domain, Outcome


@pytest.fixture(scope="module")
def bench():
    with Judge(workers=1) as judge:
        yield SandboxBench(judge)


def written(family, prompt, answer, kind="text"):
    item = Item(prompt=prompt, answer_kind=kind, reference=answer, gold=answer, params={"answer_format": "bare"})
    return task_of(item, domain=Domain.MATH, family=family, level=3, params=dict(item.params), source="pocket-writer")


@pytest.mark.parametrize("name", sorted(FORMS))
def test_golds_of_the_generator_pass_and_golds_of_other_items_fail(name, bench):
    family = FAMILIES.get(name)
    items = [make_item(family, level=level, seed=9, index=index) for level in family.levels for index in range(4)]
    right = [written(name, item.prompt, item.gold, item.answer_kind) for item in items]
    assert {verdict.outcome for verdict in audit_written(right, bench)} == {Outcome.PASS}
    swapped = [
        written(name, one.prompt, other.gold, one.answer_kind)
        for one, other in itertools.pairwise(items)
        if one.gold != other.gold
    ]
    found = audit_written(swapped, bench)
    assert {(verdict.outcome, verdict.reason) for verdict in found} == {(Outcome.FAIL, WRONG)}


def test_an_unknown_family_is_undecided_and_notes_are_kept(bench):
    tasks = [written("nothing", "nothing?", "1"), written("rev", "rev abc?", "cba")]
    unknown, known = audit_written(tasks, bench, {tasks[1].task_id: {"alone": "fail"}})
    assert unknown.outcome is Outcome.UNDECIDED
    assert unknown.reason is not None
    assert known.evidence == {"answer": "cba", "alone": "fail"}
    assert known.verifier == "rev.solve"
