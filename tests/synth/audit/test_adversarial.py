"""Planted tasks: wrong for sure, in a bucket of their own, and refused by evidence or shown as admitted."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "writers"))

from scripted_engine import Scripted

from synth.audit.adversarial import PLANTS, attack, plants
from synth.bench import SandboxBench
from synth.evidence import CHECKS, blind_check
from synth.family import FAMILIES
from synth.graders import Judge
from synth.importers import get
from synth.math import Equality, check, prepare_gold
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from synth.tasks import make_item, to_task
from warehouse.records import Status, StatusChange, Task, TaskKind, Verdict


def task_of(name: str) -> Task:
    family = FAMILIES.get(name)
    level = min(family.levels)
    return to_task(family, make_item(family, level=level, seed=3, index=0), level=level, seed=3, index=0)


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge(workers=1) as judge:
        yield judge


@pytest.fixture(scope="module")
def imported(tmp_path_factory, judge: Judge) -> list[Task]:
    file = tmp_path_factory.mktemp("rows") / "rows.jsonl"
    rows = [
        {"question": f"Ada has {a} sheep and buys {b} more. Then she sells {c}. How many sheep has she now?",
         "answer": f"She has {a}+{b}-{c} = <<{a}+{b}-{c}={a + b - c}>>{a + b - c}.\n#### {a + b - c}"}
        for a, b, c in ((17, 41, 5), (230, 12, 77), (64, 29, 18))
    ]  # fmt: skip
    file.write_text("".join(json.dumps(row) + "\n" for row in rows))
    corpus = get("gsm8k").read(file, source="sheep")
    [batch] = admit(corpus.rows, corpus.generator, Admission("c", judge, Novelty()))
    assert batch.n_out == 3
    return list(batch.accepted)


def test_each_defect_is_planted_somewhere_and_is_one_for_sure():
    made = {one.defect: one.task for family in FAMILIES for one in plants(task_of(family.name))}
    assert set(made) == set(PLANTS)
    for name in ("urn", "rev", "roots"):
        task = task_of(name)
        for one in plants(task):
            assert one.task.kind is TaskKind.ADVERSARIAL
            assert one.task.task_id != task.task_id
            assert one.task.parents == (task.task_id,)
            if one.defect == "wrong_gold":
                gold = prepare_gold(task.gold or "", task.answer_kind)
                assert check(gold, one.task.gold or "") is Equality.NOT_EQUAL


def test_our_families_defects_are_refused_and_never_accepted(judge: Judge):
    found = attack(
        [task_of(name) for name in ("urn", "rev", "roots", "lin", "repair", "induction")], SandboxBench(judge)
    )
    assert not [one.planted for one in found if one.admitted]
    for one in found:
        kinds = {type(row) for row in one.rows()}
        assert kinds == {Task, StatusChange, Verdict}
        assert all(row.status is Status.QUARANTINED for row in one.rows() if isinstance(row, StatusChange))


def test_what_evidence_alone_cannot_see_a_checker_does(judge: Judge, imported: list[Task]):
    bench = SandboxBench(judge)
    alone = {(one.planted.defect, one.admitted) for one in attack(imported, bench)}
    assert {("wrong_gold", True), ("unsolvable", True), ("contradictory", True), ("answer_shown", False)} <= alone

    def solve(ask, k: int) -> str:
        right = next((task for task in imported if task.prompt == ask.prompt), None)
        return f"#### {right.gold}" if right else "This cannot be answered."

    checker = Scripted(solve, lineage="abacus")
    found = attack(imported, bench, checks=[*CHECKS, blind_check(checker, n=4)])
    assert not [one.planted for one in found if one.admitted]
    measured = [row for one in found for row in one.rows() if isinstance(row, Verdict) and "scripted" in row.verifier]
    assert {(row.verifier, row.evidence["n_false_accept"]) for row in measured} == {("scripted on wrong_gold", 0)}
