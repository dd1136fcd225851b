"""Graders of trajectories: rules kept, calls used."""

from __future__ import annotations

import pytest
from grading import case, grade, task

from warehouse.records import Domain, JsonValue

RULES = {"must_use": ["check"], "never": ["wipe"]}
AGENT = task(domain=Domain.AGENT, params={"rules": RULES, "environment": "toolset"})


def turns(*names: str, error: str | None = None) -> tuple[dict[str, JsonValue], ...]:
    first: dict[str, JsonValue] = {"role": "user", "text": "go"}
    return first, *({"role": "assistant", "tool_call": {"name": n, "arguments": {}}, "error": error} for n in names)


@pytest.mark.parametrize(
    ("played", "detail"),
    [
        (turns("check"), ""),
        (turns("look", "check", "answer"), ""),
        (turns("look"), "must_use:check"),
        (turns("check", error="refused"), "must_use:check"),
        (turns("check", "wipe"), "never:wipe"),
        (turns("wipe", error="refused"), "must_use:check, never:wipe"),
        ((), "must_use:check"),
    ],
)
def test_broken_rules_are_cheats(played: tuple[dict[str, JsonValue], ...], detail: str):
    (found,) = grade("compliance", case(AGENT, "7", turns=played))
    assert (found.score, found.cheat, found.detail) == (0.0 if detail else 1.0, bool(detail), detail)


def test_a_task_without_rules_has_none_to_break():
    assert grade("compliance", case(task(), "7"))[0].score == 1.0


def test_calls_cost_beyond_the_free_ones():
    some = [case(AGENT, "7", turns=turns(*["look"] * n)) for n in (1, 4, 19, 34, 99)]
    assert [one.score for one in grade("calls", *some)] == [0.0, 0.0, 0.5, 1.0, 1.0]
    refused = case(AGENT, "7", turns=turns(*["look"] * 8, error="refused"))
    assert grade("calls", refused, refused_weight=2.5, free=5)[0].score == 0.5
    assert grade("calls", case(task(), "7"))[0].score is None


CALL = '{"name": "look", "arguments": {"line": 1}}'


def saying(*texts: str) -> tuple[dict[str, JsonValue], ...]:
    return {"role": "user", "text": "go"}, *({"role": "assistant", "text": text} for text in texts)


def test_words_beside_calls_cost_and_calls_do_not():
    long = "x" * 400
    forms = [f"{long}\n<tool_call>\n{CALL}\n</tool_call>", f"{long}\n```json\n{CALL}\n```", f"{long} {CALL}"]
    for text in forms:
        assert grade("brevity", case(AGENT, "7", turns=saying(text)), most=400)[0].score == pytest.approx(0.5, abs=0.01)
    silent = case(AGENT, "7", turns=saying(*(text.replace("x", "") for text in forms)))
    thinking = case(AGENT, "7", turns=saying(f"<think>{long * 9}</think>{CALL}"))
    assert [one.score for one in grade("brevity", silent, thinking, free=0)] == [0.0, 0.0]
    assert grade("brevity", case(task(), "7"))[0].score is None
    padded = case(AGENT, "7", turns=saying(f"{'x' * 2200} {CALL}", *[CALL, "", "ok"] * 5))
    assert grade("brevity", padded)[0].score == 1.0


def test_progress_is_told_in_every_stretch_and_not_by_one_sentence_again_and_again():
    told = [f"I look at line {n} now. {CALL}" for n in range(10)]
    some = [saying(*told), saying(told[0], *[CALL] * 9), saying(*[told[0]] * 10), saying(*[CALL] * 10), saying(CALL)]
    found = grade("progress", *(case(AGENT, "7", turns=turns) for turns in some))
    assert [one.score for one in found] == [1.0, 0.5, 0.5, 0.0, 1.0]
    assert grade("progress", case(task(), "7"))[0].score is None


@pytest.mark.parametrize(
    "padded", ["{dots}", ". . . {dots}", "go go go{dots}", "I  LOOK at line 1{dots}", "``` {dots}"]
)
def test_signs_and_words_said_again_are_no_progress(padded: str):
    first = f"I look at line 1. {CALL}"
    turns = saying(first, *(f"{padded.format(dots='.' * n)} {CALL}" for n in range(1, 10)))
    assert grade("progress", case(AGENT, "7", turns=turns))[0].score == 0.5
