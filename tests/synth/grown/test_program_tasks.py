"""Questions about known programs are verified by running them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.batch import Batch
from synth.graders import Judge
from synth.grown.inputs import nearby
from synth.grown.program_tasks import program_tasks
from synth.importers import get
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from synth.sandbox import load_tests
from warehouse.records import Domain, Judgement

PLAIN = st.recursive(
    st.booleans() | st.integers(-50, 50) | st.floats(-9, 9) | st.text("abc", max_size=4),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(st.integers(0, 3), inner, max_size=3)
    ),
    max_leaves=6,
)


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge(workers=1) as judge:
        yield judge


@given(st.lists(PLAIN, min_size=1, max_size=3).map(tuple), st.integers(0, 1000))
def test_nearby_inputs_keep_their_types(args: tuple[Any, ...], seed: int):
    new = nearby(args, random.Random(seed))
    assert [type(value) for value in new] == [type(value) for value in args]
    assert nearby(args, random.Random(seed)) == new


@pytest.fixture(scope="module")
def grown(corpora: Path) -> Iterator[tuple[dict[str, Batch], Judge]]:
    with Judge(workers=2) as judge:
        rows = get("mbpp").read(corpora / "mbpp_sanitized.jsonl", limit=10).rows
        parents = [row.subject.task for row in rows if row.subject is not None]
        admission = Admission("c", judge, Novelty(near=True))
        batches = {
            generator.name: batch
            for generator, proposals in program_tasks(parents, judge, seed=0)
            for batch in admit(proposals, generator, admission)
        }
        yield batches, judge


def test_every_kind_of_question_is_made_and_accounted_for(grown: tuple[dict[str, Batch], Judge]):
    batches, _ = grown
    assert set(batches) == {"predict_output", "find_input", "repair_program", "write_function"}
    for name, batch in batches.items():
        assert batch.n_out >= (2 if name == "write_function" else 5)
        assert batch.n_in == batch.n_out + sum(batch.rejected.values())
        assert all(task.parents and task.source == "mbpp" for task in batch.tasks)
    assert {task.domain for task in batches["predict_output"].tasks} == {Domain.MATH}


def test_an_input_found_is_checked_where_the_answer_cannot_reach(grown: tuple[dict[str, Batch], Judge]):
    batches, judge = grown
    task = batches["find_input"].accepted[0]
    entry = task.prompt.split(" returns ")[1].split()[-1]
    equal = "class Any(tuple):\n    def __eq__(self, other):\n        return True\n"
    cheat = f"{equal}\ndef {entry}(*args):\n    return Any()\n\ndef find():\n    return Any()\n"
    words = judge.judge([task, task], [task.reference or "", cheat])
    assert words[0].judgement is Judgement.PASS
    assert words[1].reward == 0.0


def test_the_program_shown_for_repair_is_wrong(grown: tuple[dict[str, Batch], Judge]):
    batches, judge = grown
    tasks = batches["repair_program"].accepted[:10]
    shown = [task.prompt.split("\n\n", 1)[1] for task in tasks]
    assert {word.reward for word in judge.judge(tasks, shown)} == {0.0}


def test_examples_of_a_function_show_no_program_and_tell_it_from_its_mutants(grown: tuple[dict[str, Batch], Judge]):
    batches, judge = grown
    broken = {task.parents: task.prompt.split("\n\n", 1)[1] for task in batches["repair_program"].accepted}
    for task in batches["write_function"].accepted:
        shown, hidden = load_tests(task.tests or "[]"), load_tests(task.hidden_tests or "[]")
        assert (task.reference or "").strip() not in task.prompt
        assert 4 <= len(shown) <= 8
        assert not any(test in shown for test in hidden)
        table = {repr(test.args): test.expected for test in shown}
        parrot = f"def {task.entry}(*args):\n    return {table!r}.get(repr(args))\n"
        answers = [task.reference or "", parrot, *([broken[task.parents]] if task.parents in broken else [])]
        words = judge.judge([task] * len(answers), answers)
        assert [word.reward for word in words] == [1.0, *[0.0] * (len(answers) - 1)]


@pytest.mark.parametrize("returned", ["10 ** 5000 + x", "float('inf') * x", "[float('nan'), x]", "{x: 10 ** 5000}"])
def test_what_no_program_can_say_is_not_asked_for(returned: str, judge: Judge, tmp_path: Path):
    row = {"prompt": "Write f(x).", "entry": "f", "reference": f"def f(x):\n    return {returned}\n"}
    rows = [{**row, "tests": "assert f(3) == 1"}, {**row, "tests": "assert f(3) == 1e999\nassert f(4) == 1"}]
    path = tmp_path / "rows.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)))
    parents = [row.subject.task for row in get("jsonl").read(path).rows if row.subject is not None]
    assert len(parents) == 2
    for _, made in program_tasks(parents, judge, seed=0):
        assert [one.reason for one in made] == ["program: fails on nearby inputs"] * 2
