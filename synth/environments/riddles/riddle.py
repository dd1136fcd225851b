"""The environment of a question on a program: something is said, and execution says whether it is right.

Any input that gives the output asked for is right, and so is any program that agrees with the hidden one on all inputs.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import ClassVar

from synth.environments.environment import environment
from synth.environments.snippets.faults import N_LINES
from synth.environments.snippets.program import value
from synth.environments.tools import Tool, as_tool, tool, tools_of
from synth.graders.judged import Judged, judged
from synth.sandbox import Pool, load_tests
from warehouse.records import Judgement, Task

KINDS = ("deduce", "abduce", "induce")
"""What is asked for: the output of an input, an input of an output, the program of pairs. Levels 1, 2 and 3."""
_PROGRAM = re.compile(rf"(?:[+*-][0-9]){{{N_LINES}}}")


def lines_of(text: str) -> list[str] | None:
    """A program written in one word as its lines; none where it is no program.

    >>> lines_of("+3*2-1")
    ['+3', '*2', '-1']
    """
    return [text[i : i + 2] for i in range(0, len(text), 2)] if _PROGRAM.fullmatch(text) else None


@environment("riddle", version=1)
class Riddle:
    """A question that is answered by `say`; the last thing said counts."""

    name: ClassVar[str]
    version: ClassVar[int]

    def __init__(self, pool: Pool) -> None:
        self._said = ""

    def reset(self, task: Task) -> str:
        """The question."""
        self._said = ""
        return task.prompt

    @property
    def tools(self) -> Sequence[Tool]:
        """`say` and `done`."""
        return (*tools_of(self), as_tool(done, ends=True))

    @tool
    def say(self, answer: str) -> str:
        """Say the answer; the last one counts."""
        self._said = answer
        return "ok"

    def submission(self) -> str:
        """What was said last, empty when nothing was."""
        return self._said

    def close(self) -> None:
        """Nothing is held."""

    @classmethod
    def grade(cls, task: Task, submission: str, pool: Pool) -> Judged:
        """PASS where execution agrees, NO_ANSWER for what is no digit or no program."""
        asked = json.loads(task.scaffold or "{}")["kind"]
        said = submission.strip()
        program = lines_of(said) if asked == "induce" else None
        if program is None and (asked == "induce" or len(said) != 1 or said not in "0123456789"):
            return judged(Judgement.NO_ANSWER, "not of the kind that was asked for")
        tests = load_tests(task.hidden_tests or "[]")
        if program is not None:
            right = all(value(program, int(one.args[0])) == one.expected for one in tests)
        elif asked == "abduce":
            right = any(one.expected == int(task.gold or -1) and int(said) == one.args[0] for one in tests)
        else:
            right = said == task.gold
        return judged(Judgement.PASS if right else Judgement.WRONG)


def done() -> str:
    """Hand in what was said and end the episode."""
    return ""
