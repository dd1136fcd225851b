"""The environment of pocket tool sets: five tools with names of one family, and a goal in a few tokens.

The tools are listed in the first observation, or found one at a time by what they do.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from pydantic import ConfigDict, create_model

from synth.environments.environment import environment
from synth.environments.tools import Tool, ToolError, as_tool
from synth.graders.judged import Judged, judged
from synth.sandbox import Pool
from warehouse.records import JsonValue, Judgement, Task

NO, BUSY = "no", "busy"
TAKES: dict[str, tuple[tuple[str, type], ...]] = {
    "now": (("key", str),), "past": (("key", str),), "turn": (("figure", int),), "note": (("key", str),), "wipe": (),
}  # fmt: skip
"""The parameters of a tool by what it means."""


def plan_of(task: Task) -> dict[str, Any]:
    """What a task's tools know; private where the task is held out."""
    found: dict[str, Any] = json.loads(task.scaffold or "{}")
    return found


def called_as(plan: dict[str, Any], meaning: str) -> str:
    """The name of the tool of a meaning."""
    return str(dict(plan["tools"])[meaning])


@environment("gadget", version=1)
class Kit:
    """Figures behind tools whose names are drawn at random; what is graded is the last figure that was said."""

    name: ClassVar[str]
    version: ClassVar[int]

    def __init__(self, pool: Pool) -> None:
        self._plan: dict[str, Any] = {}
        self._figures: dict[str, int] = {}
        self._said = ""
        self._tried = 0

    def reset(self, task: Task) -> str:
        """The figures as they are before any call; the goal, and the tools where they are listed."""
        self._plan, self._said, self._tried = plan_of(task), "", 0
        self._figures = dict(self._plan["now"])
        return task.prompt

    @property
    def tools(self) -> Sequence[Tool]:
        """The five tools, `find` where they are not listed, `say` and `done`."""
        acts: dict[str, Callable[..., str]] = {
            "now": self._now, "past": self._past, "turn": self._turn, "note": self._note, "wipe": self._wipe,
        }  # fmt: skip
        own = [
            Tool(called_as(self._plan, one), one, _model(called_as(self._plan, one), TAKES[one]), acts[one])
            for one, _ in self._plan.get("tools", ())
        ]
        found = (as_tool(self.find),) if self._plan["form"] == "found" else ()
        return (*found, *own, as_tool(self.say), as_tool(done, ends=True))

    def find(self, meaning: str) -> str:
        """The name of the tool that does something."""
        if meaning not in dict(self._plan["tools"]):
            raise ToolError(NO)
        return called_as(self._plan, meaning)

    def say(self, figure: int) -> str:
        """Say the figure that was asked for; the last one counts."""
        self._said = str(figure)
        return "ok"

    def _now(self, key: str) -> str:
        self._tried += 1
        if self._tried <= self._plan["fails"]:
            raise ToolError(BUSY)
        return self._known(self._figures, key)

    def _past(self, key: str) -> str:
        return self._known(self._plan["past"], key)

    def _turn(self, figure: int) -> str:
        return str(turned(figure, self._plan["offset"]))

    def _note(self, key: str) -> str:
        self._known(self._figures, key)
        return "ok"

    def _wipe(self) -> str:
        self._figures = {}
        return "ok"

    def _known(self, figures: dict[str, int], key: str) -> str:
        if key not in figures:
            raise ToolError(NO)
        return str(figures[key])

    def submission(self) -> str:
        """The last figure said, empty when none was."""
        return self._said

    def close(self) -> None:
        """Nothing is held."""

    @classmethod
    def grade(cls, task: Task, submission: str, pool: Pool) -> Judged:
        """PASS for the right figure, NO_ANSWER for none."""
        text = submission.strip()
        if not text:
            return judged(Judgement.NO_ANSWER, "nothing was said")
        return judged(Judgement.PASS if text == task.gold else Judgement.WRONG)


def turned(figure: int, offset: int) -> int:
    """A figure of two digits in the other unit, of two digits again.

    >>> turned(95, 10)
    15
    """
    return 10 + (figure - 10 + offset) % 90


def done() -> str:
    """Hand in what was said and end the episode."""
    return ""


def _model(name: str, parameters: Sequence[tuple[str, type]]) -> Any:
    fields: dict[str, Any] = {one: (kind, ...) for one, kind in parameters}
    return create_model(name, __config__=ConfigDict(extra="forbid"), **fields)


def rules_of(plan: dict[str, Any], asked: Sequence[str]) -> dict[str, JsonValue]:
    """Noting must not be left out where it is asked for, and clearing is never wanted."""
    must: list[JsonValue] = [called_as(plan, "note")] if "note" in asked else []
    return {"must_use": must, "never": [called_as(plan, "wipe")]}
