"""Bad input to an episode: an observation that says what is wrong, and the repair after it passes."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest
from shop import FILES, FIXED, TASK

from synth.environments import Budget
from synth.environments.calls import Call, parse_call
from synth.environments.repository import difference
from synth.environments.running import called, play, scripted
from synth.sandbox import Pool

FIX = called("replace", path="shop/prices.py", old="gross + share", new="gross - share")
PATCH = difference(FILES, FIXED)
WRONG = PATCH.replace("gross + share", "grass + share")
LINK = "new file mode 120000\n--- /dev/null\n+++ b/shop/l\n@@ -0,0 +1 @@\n+/\n"
HANG = "while True:\n    pass\n"
BAD = {
    "a patch that does not apply": (called("apply_patch", patch=WRONG), "the patch expects"),
    "a patch of 10 MB": (called("apply_patch", patch="+" * 10_000_000), "at most"),
    "a patch within what is read that is too large": (called("apply_patch", patch="+" * 500_000), "at most"),
    "a binary patch": (called("apply_patch", patch="GIT binary patch\nliteral 3\n"), "binary"),
    "a link": (called("apply_patch", patch=LINK), "links or modes"),
    "half a patch": (called("apply_patch", patch=PATCH[: len(PATCH) // 2]), "ends early"),
    "an unknown tool": (called("read_fil", path="README.md"), "did you mean read_file?"),
    "a missing argument": (called("read_file"), "argument path is missing"),
    "an argument too many": (called("list_files", path="shop"), "there is no argument path"),
    "a wrong type": (called("read_file", path=["README.md"]), "argument path is"),
    "JSON cut off": (FIX[: len(FIX) // 2], "cut off"),
    "two calls": (f"{FIX}\n{FIX}", "2 tool calls"),
    "no call": ("I shall repair it.", "no tool call"),
    "arguments that are no object": ('{"name": "read_file", "arguments": 3}', "not an object"),
    "half a character": (json.dumps({"name": "read_file", "arguments": {"path": "\ud800"}}), "half a character"),
}  # fmt: skip


@pytest.fixture(scope="module")
def pool() -> Iterator[Pool]:
    with Pool(workers=1) as pool:
        yield pool


@pytest.mark.parametrize("name", BAD)
def test_a_bad_call_is_told_and_the_repair_after_it_passes(name: str, pool: Pool):
    step, said = BAD[name]
    one = play(TASK, scripted([step, FIX]), pool, budget=Budget(calls=5, tokens=10**8), clock=time.monotonic)
    assert one.turns[1]["error"] == "refused"
    assert said in str(one.turns[1]["observation"])
    assert len(str(one.turns[1]["observation"])) < 1000
    assert one.passed


def test_a_tool_that_hangs_is_an_observation_within_its_limit(pool: Pool):
    steps = [
        called("write_file", path="shop/wait.py", text=HANG),
        called("write_file", path="tests/test_wait.py", text="import shop.wait\n"),
        called("run_tests"),
        called("delete_file", path="tests/test_wait.py"),
        called("delete_file", path="shop/wait.py"),
        FIX,
    ]
    one = play(TASK, scripted(steps), pool, budget=Budget(calls=9), clock=time.monotonic)
    assert str(one.turns[3]["observation"]).startswith("the tests did not finish: ")
    assert one.passed


ENDS = {"as it is": PATCH, "of another system": PATCH.replace("\n", "\r\n"), "none at the end": PATCH.rstrip("\n")}


@pytest.mark.parametrize("patch", ENDS.values(), ids=ENDS)
def test_line_ends_of_another_system_and_a_last_line_without_one_are_taken(patch: str, pool: Pool):
    one = play(TASK, scripted([called("apply_patch", patch=patch)]), pool, budget=Budget(), clock=time.monotonic)
    assert one.passed, one.turns


def test_a_message_too_large_for_the_budget_ends_the_episode_with_no_answer(pool: Pool):
    step = called("apply_patch", patch="+" * 10_000_000)
    one = play(TASK, scripted([step, FIX]), pool, budget=Budget(), clock=time.monotonic)
    assert (one.ended, one.cause) == ("budget:tokens", "budget:tokens")


@pytest.mark.parametrize(
    "text",
    ["a </think> b", "<tool_call>{}</tool_call>", "```json\n{}\n```", '{"name": "submit"}', "<function=x>", "\\u003c"],
)
def test_what_an_argument_says_is_taken_for_no_call(text: str) -> None:
    assert parse_call(called("write", path="a", text=text)) == Call("write", {"path": "a", "text": text})
