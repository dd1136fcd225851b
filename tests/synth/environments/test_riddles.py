"""Questions on programs: execution says what is right, and what is given away is no task."""

from __future__ import annotations

import json
import random
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.environments import Budget
from synth.environments.makers import MAKERS
from synth.environments.riddles import Riddle, draft
from synth.environments.riddles.making import item_of_question, task_of_question
from synth.environments.riddles.riddle import KINDS, lines_of
from synth.environments.running import play, scripted
from synth.environments.snippets.program import value
from synth.environments.terse import terse_call
from synth.graders import Judge
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from synth.proposals import Request
from warehouse.records import Judgement, Task


@pytest.fixture(scope="module")
def judge():
    with Judge(workers=1) as judge:
        yield judge


def admitted(judge: Judge, level: int, n: int = 30) -> list[Task]:
    maker = MAKERS.get("riddle")
    admission = Admission("test", judge, Novelty(), checks=maker.checks(judge.pool))
    batches = admit(maker.made(Request("riddle", level, n, 3), judge.pool), maker.generator, admission)
    return [task for batch in batches for task in batch.accepted]


@pytest.mark.parametrize("level", [1, 2, 3])
def test_what_is_admitted_is_answered_by_execution_alone(level: int, judge: Judge):
    tasks = admitted(judge, level)
    assert len(tasks) >= 8
    for task in tasks:
        words = {str(said): Riddle.grade(task, str(said), judge.pool).judgement for said in range(10)}
        right = [said for said, word in words.items() if word is Judgement.PASS]
        if level == 1:
            text, start = task.prompt.removesuffix(">?").split(" ")
            assert right == [str(value(lines_of(text) or [], int(start)))]
        if level == 2:
            text, output = task.prompt.split(" ?>")
            assert right == [str(x) for x in range(10) if value(lines_of(text) or [], x) == int(output)]
            assert 1 <= len(right) <= 2
        if level == 3:
            assert set(words.values()) == {Judgement.NO_ANSWER}
            assert Riddle.grade(task, task.gold or "", judge.pool).judgement is Judgement.PASS
        one = play(task, scripted([f"say {task.reference}", "done"]), judge.pool, budget=Budget(),
                   clock=time.monotonic, read=terse_call)  # fmt: skip
        assert one.passed


@given(st.text(alphabet="+-*0123456789 >?a", max_size=8))
@settings(max_examples=60)
def test_any_text_is_right_wrong_or_no_answer(text: str):
    for kind in KINDS:
        item = item_of_question(kind, ["+3", "*2", "-1"], [1, 2, 3])
        word = Riddle.grade(task_of_question(item, level=1, seed=0, index=0), text, None)  # type: ignore[arg-type]
        assert word.judgement in (Judgement.PASS, Judgement.WRONG, Judgement.NO_ANSWER)


def test_another_program_that_agrees_everywhere_is_right_and_one_that_fits_the_pairs_is_not():
    item = item_of_question("induce", ["+1", "+1", "*1"], [1, 3, 5])
    task = task_of_question(item, level=3, seed=0, index=0)
    assert Riddle.grade(task, "+2+1-1", None).judgement is Judgement.PASS  # type: ignore[arg-type]
    assert Riddle.grade(task, "*6+7+0", None).judgement is Judgement.WRONG  # type: ignore[arg-type]
    assert [value(["*6", "+7", "+0"], x) for x in (1, 3, 5)] == [value(["+1", "+1", "*1"], x) for x in (1, 3, 5)]


def test_drafts_follow_from_their_stream():
    assert draft(random.Random(1), 3) == draft(random.Random(1), 3)
    assert json.loads(draft(random.Random(1), 2).scaffold or "")["kind"] == "abduce"
