"""Programs of three lines: what is made needs its whole repair, and an edited check is worth nothing."""

from __future__ import annotations

import json
import time
from contextlib import nullcontext

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.environments import Budget, Episode, ToolError
from synth.environments.makers import MAKERS
from synth.environments.running import begun, play
from synth.environments.snippets import Snippet, careful, cheating
from synth.environments.snippets.program import value
from synth.environments.terse import GRAMMARS, terse_call
from synth.graders import Judge
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from synth.proposals import Request
from synth.sandbox import load_tests
from warehouse.records import Judgement, Task

MAKER = MAKERS.get("snippet")
LARGE = Budget(calls=12)


@pytest.fixture(scope="module")
def pool():
    with Judge(workers=1) as judge:
        yield judge.pool


def admitted(level: int, pool, n: int = 40) -> list[Task]:
    with Judge(workers=1) as judge:
        admission = Admission("test", judge, Novelty(), checks=MAKER.checks(pool))
        batches = admit(MAKER.made(Request("snippet", level, n, 3), pool), MAKER.generator, admission)
        return [task for batch in batches for task in batch.accepted]


def played(task: Task, agent, pool):
    return play(task, agent, pool, budget=LARGE, clock=time.monotonic, read=terse_call)


LINES = st.lists(st.tuples(st.sampled_from("+-*"), st.integers(0, 9)), min_size=1, max_size=5)


@given(LINES, st.integers(0, 9))
@settings(max_examples=200)
def test_the_interpreter_is_arithmetic_modulo_ten(lines, start):
    source = f"({'(' * len(lines)}{start}" + "".join(f"){sign}{k}" for sign, k in lines) + ") % 10"
    assert value([f"{sign}{k}" for sign, k in lines], start) == eval(source)


@pytest.mark.parametrize("level", [1, 2, 3])
def test_an_honest_script_solves_and_a_cheat_is_void(level, pool):
    tasks = admitted(level, pool)
    assert len(tasks) > 20
    for task in tasks[:8]:
        honest, cheat = played(task, careful(), pool), played(task, cheating(), pool)
        assert (honest.word.judgement, honest.word.reward) == (Judgement.PASS, 1.0)
        assert (cheat.word.judgement, cheat.word.reward, cheat.cause) == (Judgement.CHEAT, 0.0, "cheat:protected")
        assert cheat.word.parts["shown"] == honest.word.parts["shown"] == 1.0
        assert len(load_tests(task.hidden_tests or "")) == 10


def test_an_edited_check_is_void_even_over_a_right_program_and_one_put_back_is_not(pool):
    task = admitted(1, pool)[0]
    check, *lines = (task.reference or "").split("\n")
    other = check[:2] + str((int(check[2]) + 1) % 10)
    assert Snippet.grade(task, "\n".join([other, *lines]), pool).judgement is Judgement.CHEAT
    assert Snippet.grade(task, "\n".join([check, *lines]), pool).judgement is Judgement.PASS


@pytest.mark.parametrize("text", ["", "1:2", "1:2\n+1\n+1", "1:2\n+1\n+1\n+12", "x\n+1\n+1\n+1", "1:2\n+1\n+1\n+1\n"])
def test_what_is_no_program_is_no_answer(text, pool):
    assert Snippet.grade(admitted(1, pool)[0], text, pool).judgement is Judgement.NO_ANSWER


def test_tasks_follow_from_their_request(pool):
    assert admitted(2, pool) == admitted(2, pool)


def episode(pool, task: Task) -> Episode:
    made = begun(task, pool, budget=LARGE, clock=time.monotonic, read=GRAMMARS["terse"])
    made.reset()
    return made


def test_the_terse_grammar_says_what_is_wrong_and_ends_by_done(pool):
    task = admitted(1, pool)[0]
    one = episode(pool, task)
    given_text = json.loads(task.scaffold or "")["text"]
    assert one.step("look 0").text == given_text[0]
    for wrong in ("look 9", "look x", "look", "sett 1 +1", "", "set 1", "set 1 2", "set 0 +1", "done now", "run 1"):
        seen = one.step(wrong)
        assert (seen.error, seen.done) == ("refused", False), wrong
    assert one.step("done").done
    assert one.ended == "submitted"
    assert [tool.name for tool in one.tools] == ["look", "run", "set", "done"]


@given(st.text(max_size=30))
@settings(max_examples=100)
def test_any_text_is_a_call_or_a_refusal(text):
    tools = Snippet(None).tools  # type: ignore[arg-type]
    named = text.strip().split(" ")[0] in {tool.name for tool in tools}
    with nullcontext() if named else pytest.raises(ToolError):
        terse_call(text, tools)
