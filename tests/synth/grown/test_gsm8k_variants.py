"""Variants of word problems: new numbers, the same plan, sound results."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from synth.annotations import evaluate, number, steps_of
from synth.graders import Judge
from synth.grown.gsm8k_variants import GENERATOR, variants
from synth.grown.question_numbers import tokens
from synth.grown.word_problem import NoPlan, plan_of
from synth.importers import get
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from warehouse.records import Task

QUESTION = "Ann has 12 boxes of 8 pens and gives away 20 pens. How many pens are left?"
WORKED = "12*8 = <<12*8=96>>96\n96-20 = <<96-20=76>>76\n#### 76"


@pytest.fixture(scope="module")
def parents(corpora: Path) -> list[Task]:
    rows = get("gsm8k").read(corpora / "gsm8k_train.jsonl", limit=300).rows
    return [row.subject.task for row in rows if row.subject is not None]


def test_a_plan_ties_operands_to_the_question_and_to_earlier_results():
    plan = plan_of(QUESTION, WORKED, "76")
    assert plan.free == (8, 12, 20)
    assert [[operand.step for operand in row] for row in plan.operands] == [[None, None], [0, None]]
    steps = plan.run({Fraction(12): Fraction(15), Fraction(20): Fraction(30)})
    assert steps is not None
    assert [step.value for step in steps] == [120, 90]


@pytest.mark.parametrize(
    ("question", "worked", "reason"),
    [
        (QUESTION, "#### 76", "no readable annotations"),
        (QUESTION, WORKED.replace("=76", "=77"), "a step does not compute"),
        (QUESTION, WORKED, "the last step is not the answer"),
        ("Ann has 12 boxes and 9 lids.", "<<12*8=96>>96\n#### 96", "a constant is not explained by the question"),
        (
            "Ann has 6 red, 6 blue and 12 green.",
            "<<6+6=12>>12\n<<12+12=24>>24\n#### 24",
            "a number may come from two places",
        ),
    ],
)
def test_a_computation_that_cannot_be_followed_gives_its_reason(question: str, worked: str, reason: str):
    gold = "75" if reason.startswith("the last") else worked.rpartition("#### ")[2]
    with pytest.raises(NoPlan, match=reason):
        plan_of(question, worked, gold)


def test_variants_compute_keep_their_split_and_say_why_not(parents: list[Task]):
    made = list(variants(parents, n=3, seed=0))
    assert made == list(variants(parents, n=3, seed=0))
    by_id = {task.task_id: task for task in parents}
    subjects = [one.subject for one in made if one.subject is not None]
    assert len(subjects) > 400
    assert all((one.subject is None) == (one.reason is not None) for one in made)
    assert len({(one.seed, one.index) for one in made}) == len(made)
    for subject in subjects:
        task, parent = subject.task, by_id[subject.task.parents[0]]
        steps = steps_of(task.reference or "")
        assert steps is not None
        assert all(evaluate(step.expression) == step.value > 0 for step in steps)
        assert steps[-1].value == number(task.gold or "")
        assert task.prompt != parent.prompt
        assert task.split is parent.split
        pairs = list(zip(tokens(parent.prompt), tokens(task.prompt), strict=True))
        assert all(old.text == new.text for old, new in pairs if not old.free)


def test_admitted_variants_are_new_tasks(parents: list[Task]):
    with Judge(workers=1) as judge:
        admission = Admission("c", judge, Novelty(parents[:60], near=True))
        batches = list(admit(variants(parents[:60], n=2, seed=0), GENERATOR, admission))
    n_in, n_out = sum(batch.n_in for batch in batches), sum(batch.n_out for batch in batches)
    assert n_in == n_out + sum(sum(batch.rejected.values()) for batch in batches)
    assert n_out > 60
