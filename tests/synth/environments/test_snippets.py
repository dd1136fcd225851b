"""Programs of three lines: what is made needs its whole repair, and an edited check is worth nothing."""

from __future__ import annotations

import json
import random
import time
from contextlib import nullcontext
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.environments import Budget, Episode, ToolError
from synth.environments.makers import MAKERS
from synth.environments.running import begun, play
from synth.environments.snippets import Snippet, careful, cheating, draft
from synth.environments.snippets.faults import KINDS
from synth.environments.snippets.making import FAMILIES
from synth.environments.snippets.program import value
from synth.environments.terse import GRAMMARS, terse_call
from synth.graders import Judge
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from synth.proposals import Request
from synth.sandbox import load_tests
from warehouse.records import Judgement, Task

LARGE = Budget(calls=12)


@pytest.fixture(scope="module")
def pool():
    with Judge(workers=1) as judge:
        yield judge.pool


@cache
def admitted(level: int, pool, n: int = 40, family: str = "snippet") -> list[Task]:
    maker = MAKERS.get(family)
    with Judge(workers=1) as judge:
        admission = Admission("test", judge, Novelty(), checks=maker.checks(pool))
        batches = admit(maker.made(Request(family, level, n, 3), pool), maker.generator, admission)
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
    assert admitted.__wrapped__(2, pool) == admitted(2, pool)


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


@pytest.mark.parametrize("family", FAMILIES)
def test_each_kind_of_fault_is_a_family_whose_tasks_an_honest_script_solves(family, pool):
    maker = MAKERS.get(family)
    for level in maker.levels:
        tasks = admitted(level, pool, 24, family)
        assert len(tasks) >= 6
        assert {(task.family, task.level) for task in tasks} == {(family, level)}
        for task in tasks[:2]:
            given_text, right = json.loads(task.scaffold or "")["text"], (task.reference or "").split("\n")
            assert sum(a != b for a, b in zip(given_text, right, strict=True)) == level
            assert played(task, careful(), pool).passed


@pytest.mark.parametrize("kind", KINDS)
@given(seed=st.integers(0, 10**6))
@settings(max_examples=30)
def test_a_fault_breaks_as_many_lines_as_it_says(kind, seed):
    rng = random.Random(seed)
    for level in KINDS[kind].levels:
        item = draft(rng, level, kind)
        text, right = json.loads(item.scaffold or "")["text"][1:], (item.reference or "").split("\n")[1:]
        pairs = [(a, b) for a, b in zip(text, right, strict=True) if a != b]
        assert len(pairs) == level
        if kind in ("sign", "digit"):
            assert {(a[0] == b[0], a[1] == b[1]) for a, b in pairs} == {(kind == "digit", kind == "sign")}
        if kind == "near":
            assert {abs(int(a[1]) - int(b[1])) for a, b in pairs} == {1}
        if kind == "swapped":
            assert sorted(text) == sorted(right)
        if kind == "copied":
            assert set(text) <= set(right)
