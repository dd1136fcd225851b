"""Calls, budgets and the log of an episode."""

from __future__ import annotations

import contextlib
import json

import pytest
from counter import TASK, Counter
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.environments import Budget, Episode, ToolError
from synth.environments.calls import Call, parse_call
from warehouse.errors import UserError
from warehouse.records import canonical_json


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def begun(budget: Budget | None = None, clock: Clock | None = None) -> Episode:
    episode = Episode(Counter(), TASK, budget or Budget(), clock or Clock())
    episode.reset()
    return episode


def call(name: str, **arguments: object) -> str:
    return json.dumps({"name": name, "arguments": arguments})


def test_an_episode_is_its_turns():
    episode = begun()
    assert episode.step(call("add", amount=3, times=2)).text == "it is 6"
    assert episode.step("<tool_call>" + call("add", amount=1) + "</tool_call>", n_tokens=9, latency_s=0.5).text == (
        "it is 7"
    )
    last = episode.step(call("submit"))
    assert (last.done, episode.ended, episode.submission) == (True, "submitted", "7")
    assert [turn["role"] for turn in episode.turns] == ["user", "assistant", "assistant", "assistant"]
    assert episode.turns[2]["tool_call"] == {"name": "add", "arguments": {"amount": 1}}
    assert (episode.turns[2]["tokens"], episode.turns[2]["latency_s"]) == (9, 0.5)
    assert canonical_json(episode.turns)


def test_a_second_submission_changes_nothing():
    episode = begun()
    episode.step(call("submit"))
    assert episode.step(call("add", amount=7)).done
    assert episode.step(call("submit")).error == "over"
    assert episode.submission == "0"
    assert len(episode.turns) == 2


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("I think it is done.", "no tool call"),
        (call("ad", amount=1), "did you mean add? there are: add, tell, crash, submit"),
        (call("add"), "argument amount is missing; it takes: add(amount: integer, times: integer = 1"),
        (call("add", amount="3"), "argument amount is '3': input should be a valid integer"),
        (call("add", amount=True), "argument amount is True"),
        (call("add", amount=1.5), "argument amount is 1.5"),
        (call("add", amount=1, mount=2), "there is no argument mount"),
        (call("add", amount=1, how="sideways"), "argument how is 'sideways'"),
        (call("tell", words="no list"), "argument words is 'no list'"),
        ('{"name": "add", "arguments": {"amount": 3', "cut off"),
        ('<tool_call>{"name": "add", "arguments": {"amo', "cut off"),
        ('```json\n{"name": "add", "argu', "cut off"),
        ('{"name": "add", "arguments": {"amount": 3,}}', "not JSON"),
        ('{"name": "add", "arguments": {"amount": NaN}}', "NaN is no JSON"),
        ('{"name": "add", "arguments": {"amount": 1e999}}', "beyond all bounds"),
        ('{"name": "tell", "arguments": {"words": ["\\ud800"]}}', "half a character"),
        ('{"name": "add", "arguments": {"amount": 1, "amount": 2}}', "one key twice"),
        ('{"name": "add", "arguments": [3]}', "are a list"),
        ('{"name": 3, "arguments": {}}', "which tool"),
        ("<tool_call>{}</tool_call>", "which tool"),
        (call("add", amount=1) + call("add", amount=2), "2 tool calls"),
        ('{"name": "tell", "arguments": {"words": ' + "[" * 100_000 + "]" * 100_000 + "}}", "deep"),
        ('{"name": "add", "arguments": {"amount": ' + "9" * 5000 + "}}", "not JSON"),
        ("x" * (1 << 21), "characters"),
        (call("crash", kind="refuse"), "that is not allowed"),
        (call("crash", kind="other"), "crash failed: KeyError: 'other'"),
    ],
)
def test_what_is_wrong_with_a_call_is_an_observation(text: str, said: str):
    episode = begun()
    seen = episode.step(text, n_tokens=5)
    assert said in seen.text, seen.text
    assert len(seen.text) <= episode.budget.observation_characters + 100
    assert (seen.error, seen.done, episode.calls) == ("refused", False, 1)
    assert episode.step(call("add", amount=2)).text == "it is 2"
    assert canonical_json(episode.turns)


@pytest.mark.parametrize(
    "text",
    [
        'Let me see.\n```json\n{"name": "add", "arguments": {"amount": 3}}\n```\nthen',
        '<think>{"name": "crash", "arguments": {}}</think>{"name": "add", "parameters": {"amount": 3}}',
        '{"type": "function", "function": {"name": "add", "arguments": "{\\"amount\\": 3}"}}',
        '{"name":"add","arguments":{"amount":3}} and a brace } after',
        '<tool_call>\n{"name": "add", "arguments": {"amount": 3}}\n',
    ],
)
def test_the_forms_that_models_write_are_read(text: str):
    assert parse_call(text) == Call("add", {"amount": 3})


def test_a_brace_in_a_text_is_no_end():
    text = call("tell", words=['}{"name":', "\\"])
    assert parse_call("so " + text).arguments == {"words": ['}{"name":', "\\"]}


@settings(max_examples=200, deadline=None)
@given(st.text(alphabet='{}[]":,\\ nameargumtsfx0<>/`_-.\n\ud800', max_size=80), st.integers(0, 60))
def test_no_message_does_more_than_be_refused(noise: str, cut: int):
    for text in (noise, call("add", amount=3)[:cut] + noise):
        with contextlib.suppress(ToolError):
            parse_call(text)
        assert len(begun().step(text).text) < 1000


def test_each_limit_of_a_budget_ends_the_episode():
    episode = begun(Budget(calls=2))
    assert not episode.step("no call").done
    last = episode.step(call("add", amount=1))
    assert (last.text, last.done) == ("it is 1\n[the budget of 2 calls is spent: the episode is over]", True)
    assert (episode.ended, episode.submission) == ("budget:calls", None)
    episode = begun(Budget(tokens=10))
    assert episode.step(call("submit"), n_tokens=11).done
    assert (episode.ended, episode.submission) == ("budget:tokens", None)
    clock = Clock()
    episode = begun(Budget(seconds=5), clock)
    episode.step(call("add", amount=1))
    clock.now = 6.0
    assert episode.step(call("submit")).done
    assert (episode.ended, episode.submission) == ("budget:seconds", None)
    assert "submitted" in begun(Budget(calls=1)).step(call("submit")).text


@pytest.mark.parametrize("limits", [{"calls": 0}, {"tokens": 0}, {"seconds": 0}, {"observation_characters": 3}])
def test_a_budget_of_nothing_is_refused(limits: dict[str, int]):
    with pytest.raises(UserError, match="allowed"):
        Budget(**limits)


def test_long_observations_are_shortened_in_the_middle():
    seen = begun(Budget(observation_characters=200)).step(call("tell", words=["ab"], loud=True))
    assert len(seen.text) < 300
    assert "characters left out" in seen.text


def test_what_fails_under_a_tool_masks_the_rollout():
    episode = begun()
    seen = episode.step(call("crash", kind="infra"))
    assert (seen.done, episode.ended, episode.submission) == (True, "infra", None)
    assert episode.detail == "the machine is gone"


def test_schemas_follow_from_signatures():
    episode = begun()
    first = episode.tools[0].schema["function"]
    assert first == {
        "name": "add",
        "description": "Add an amount.",
        "parameters": {
            "type": "object",
            "additionalProperties": False,
            "properties": {
                "amount": {"type": "integer"},
                "times": {"type": "integer", "default": 1},
                "how": {"type": "string", "enum": ["up", "down"], "default": "up"},
            },
            "required": ["amount"],
        },
    }
    assert [one.name for one in episode.tools] == ["add", "tell", "crash", "submit"]


def test_reset_begins_anew():
    episode = begun()
    episode.step(call("add", amount=5))
    episode.step(call("submit"))
    episode.reset()
    assert (episode.ended, episode.calls, len(episode.turns)) == (None, 0, 1)
    assert episode.step(call("add", amount=1)).text == "it is 1"
