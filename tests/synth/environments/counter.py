"""A small environment for tests of the protocol: a number that tools change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from synth.environments.tools import Infrastructure, Tool, ToolError, tool, tools_of
from synth.graders.judged import Judged, judged
from synth.sandbox import Pool
from warehouse.records import Domain, Judgement, Task

TASK = Task(
    task_id="count", domain=Domain.AGENT, family="counter", level=1, params={}, prompt="Make it 7.",
    answer_kind="number", gold="7",
)  # fmt: skip


class Counter:
    name, version = "counter", 1

    def __init__(self) -> None:
        self.value = 0

    def reset(self, task: Task) -> str:
        self.value = 0
        return task.prompt

    @property
    def tools(self) -> Sequence[Tool]:
        return tools_of(self)

    @tool
    def add(self, amount: int, times: int = 1, how: Literal["up", "down"] = "up") -> str:
        """Add an amount.

        More words that are not shown.
        """
        self.value += amount * times * (1 if how == "up" else -1)
        return f"it is {self.value}"

    @tool
    def tell(self, words: list[str], loud: bool = False, note: str | None = None) -> str:
        """Say words."""
        return " ".join(words) * 1000 if loud else " ".join(words)

    @tool
    def crash(self, kind: str) -> str:
        """Fail."""
        if kind == "refuse":
            raise ToolError("that is not allowed")
        if kind == "infra":
            raise Infrastructure("the machine is gone")
        return str({"": 1}[kind])

    def submission(self) -> str:
        return str(self.value)

    def close(self) -> None:
        pass

    @classmethod
    def grade(cls, task: Task, submission: str, pool: Pool) -> Judged:
        return judged(Judgement.PASS if submission == task.gold else Judgement.WRONG)
