"""The environment in which unknown tools are used: the task's service, and `answer` to say what was found."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import ClassVar

from synth.environments.compliance import told
from synth.environments.environment import environment
from synth.environments.tools import Tool, ToolError, as_tool, tool
from synth.environments.toolsets.service import Service
from synth.graders.judged import Judged, judged
from synth.sandbox import Pool
from warehouse.records import Judgement, Task


@environment("toolset", version=1)
class Workplace:
    """A goal that only the tools can reach; what is graded is the last answer, and rules by the log of turns."""

    name: ClassVar[str]
    version: ClassVar[int]

    def __init__(self, pool: Pool) -> None:
        self._service: Service | None = None
        self._answer = ""

    def reset(self, task: Task) -> str:
        """The service as it is before any call; the goal and the rules."""
        self._service, self._answer = Service.made(json.loads(task.scaffold or "{}")), ""
        return f"{task.prompt} {told(task)}".strip()

    @property
    def tools(self) -> Sequence[Tool]:
        """The service's tools, and `answer`."""
        return [*(self._service.tools() if self._service else []), as_tool(self.answer)]

    @tool
    def answer(self, value: int) -> str:
        """Say the number that was asked for; the last one counts when you submit."""
        if abs(value) > 10**15:
            raise ToolError("no number that was asked for is so large")
        self._answer = str(value)
        return f"the answer is {value}; submit to hand it in"

    def submission(self) -> str:
        """The last answer, empty when none was given."""
        return self._answer

    def close(self) -> None:
        """Nothing is held."""

    @classmethod
    def grade(cls, task: Task, submission: str, pool: Pool) -> Judged:
        """PASS for the right number, NO_ANSWER for none."""
        text = submission.strip()
        if not text:
            return judged(Judgement.NO_ANSWER, "no answer")
        return judged(Judgement.PASS if text == task.gold else Judgement.WRONG)
