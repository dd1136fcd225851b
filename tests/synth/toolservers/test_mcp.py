"""Tools over MCP: the same observations as in this process, and a server that hangs, dies or never starts."""

from __future__ import annotations

import sys
import time
from dataclasses import replace

import pytest

pytest.importorskip("mcp", reason="the MCP SDK is not installed: pip install 'gradatim[agents]'")

from synth.environments import Budget, Infrastructure, ToolError
from synth.environments.makers import MAKERS
from synth.environments.running import play, scripted
from synth.environments.toolsets.making import plan_of
from synth.proposals import Request
from synth.sandbox import Pool
from synth.toolservers.client import Connection
from warehouse.records import Judgement, Task

BAD = '''
import asyncio, os, sys, time
from mcp.server.fastmcp import FastMCP
server = FastMCP("bad")

@server.tool()
def hang(seconds: float) -> str:
    """Sleep."""
    time.sleep(seconds)
    return "late"

@server.tool()
def die() -> str:
    """End the process."""
    os._exit(3)

@server.tool()
def fail(times: int = 1, words: list[str] | None = None) -> str:
    """Raise."""
    raise RuntimeError("x" * 500_000)

@server.tool()
def echo(text: str) -> str:
    """Say it."""
    return text

server.run()
'''


def served(task: Task) -> Task:
    return replace(task, params={**task.params, "environment": "toolset_mcp"})


@pytest.mark.parametrize("level", [5])
def test_a_served_toolset_says_what_the_one_in_this_process_says(level: int):
    with Pool(workers=1) as pool:
        subject = next(iter(MAKERS.get("toolset").made(Request("toolset", level, 1, 4), pool))).subject
        assert subject is not None
        steps = ['{"name": "answer", "arguments": {"value": "7"}}', *plan_of(subject.task)]
        here, there = (
            play(task, scripted(steps), pool, budget=Budget(), clock=time.monotonic)
            for task in (subject.task, served(subject.task))
        )
    assert there.passed
    assert [turn.get("observation") for turn in here.turns] == [turn.get("observation") for turn in there.turns]


def test_a_server_that_hangs_fails_or_dies_is_an_observation():
    connection = Connection(sys.executable, ["-c", BAD], timeout_s=1.0)
    try:
        assert {one.name for one in connection.tools} == {"hang", "die", "fail", "echo"}
        echo = next(one for one in connection.tools if one.name == "echo")
        with pytest.raises(ToolError, match="argument text is 3"):
            echo.checked({"text": 3})
        assert connection.call("echo", {"text": "so"}) == "so"
        with pytest.raises(ToolError, match="xxx") as found:
            connection.call("fail", {"times": 2})
        assert len(str(found.value)) <= 100_000
        with pytest.raises(ToolError, match="hang did not answer within 1 s"):
            connection.call("hang", {"seconds": 1.5})
        time.sleep(1.0)
        with pytest.raises(ToolError, match=r"gone|did not answer"):
            connection.call("die", {})
        with pytest.raises(ToolError, match=r"gone|did not answer"):
            connection.call("echo", {"text": "again"})
    finally:
        connection.close()


@pytest.mark.parametrize("command", [["/nowhere/server"], [sys.executable, "-c", "print('no protocol')"]])
def test_a_server_that_does_not_start_masks_the_rollout(command: list[str]):
    with pytest.raises(Infrastructure, match="did not start"):
        Connection(command[0], command[1:], start_s=3.0)


def test_an_episode_without_its_server_is_masked(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    with Pool(workers=1) as pool:
        subject = next(iter(MAKERS.get("toolset").made(Request("toolset", 1, 1, 4), pool))).subject
        assert subject is not None
        one = play(served(subject.task), scripted([]), pool, budget=Budget(), clock=time.monotonic)
    assert (one.ended, one.word.judgement, one.word.reward) == ("infra", Judgement.INFRA, None)
