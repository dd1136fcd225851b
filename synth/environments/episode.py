"""One episode: a task's environment, the budget, and a log of every turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from synth.environments.budget import Budget
from synth.environments.calls import Call, Reader, find_tool, json_call
from synth.environments.environment import Environment
from synth.environments.tools import Infrastructure, Tool, ToolError, as_tool
from warehouse.errors import GradatimError
from warehouse.records import JsonValue, Task

Turn = dict[str, JsonValue]
CHARACTERS_A_TOKEN = 4
OVER = "the episode is over; nothing was run"


@dataclass(frozen=True, slots=True)
class Observation:
    """What the policy sees next; `done` says that no further call is run, `error` what was wrong with this one."""

    text: str
    done: bool = False
    error: str | None = None


class Episode:
    """Runs tool calls one at a time within a budget.

    `turns` are the records' turns: the first is the first observation, then one for each message of the policy with
    role, text, tool_call, observation, tokens and latency_s. Whatever the policy writes and whatever a tool does is
    an observation. `read` finds the call in a message. `ended` is none while it goes on, then `submitted`,
    `budget:calls|tokens|seconds`, or `infra` when what a tool stands on failed, which masks the rollout.
    """

    def __init__(
        self,
        environment: Environment,
        task: Task,
        budget: Budget,
        clock: Callable[[], float],
        read: Reader = json_call,
    ) -> None:
        self.environment, self.task, self.budget, self._clock, self._read = environment, task, budget, clock, read
        self.turns: list[Turn] = []
        self.ended: str | None = None
        self.submission: str | None = None
        self.calls = self.tokens = 0
        self._tools: tuple[Tool, ...] = ()
        self._began = 0.0
        self.detail = ""

    @property
    def tools(self) -> Sequence[Tool]:
        """The environment's tools, and `submit` unless one of them ends the episode."""
        return self._tools

    def reset(self) -> Observation:
        """Begins the episode anew; the first observation."""
        self._began = self._clock()
        self.turns, self.ended, self.submission, self.calls, self.tokens, self.detail = [], None, None, 0, 0, ""
        try:
            text = self.environment.reset(self.task)
        except Infrastructure as error:
            return self._failed(error)
        own = tuple(self.environment.tools)
        self._tools = own if any(one.ends for one in own) else (*own, as_tool(submit, ends=True))
        self.turns.append({"role": "user", "text": text, "tokens": 0, "latency_s": 0.0})
        return Observation(text)

    def step(self, text: str, *, n_tokens: int | None = None, latency_s: float = 0.0) -> Observation:
        """Runs the call in what the policy wrote; `n_tokens` and `latency_s` are what writing it took.

        After the end nothing is run and nothing is logged.
        """
        if self.ended is not None:
            return Observation(OVER, done=True, error="over")
        text = text.encode("utf-8", "replace").decode()
        tokens = n_tokens if n_tokens is not None else -(-len(text) // CHARACTERS_A_TOKEN)
        self.calls += 1
        self.tokens += tokens
        turn: Turn = {"role": "assistant", "text": text, "tool_call": None, "tokens": tokens, "latency_s": latency_s}
        self.turns.append(turn)
        began = self._clock()
        spent = self._reached(self.calls - 1, self.tokens - 1)
        seen = Observation("", error=f"budget:{spent}") if spent else self._run(text, turn)
        if self.ended is None:
            spent = spent or self._reached(self.calls, self.tokens)
            if spent:
                self.ended = f"budget:{spent}"
                said = f"the budget of {getattr(self.budget, spent):g} {spent} is spent: the episode is over"
                seen = Observation(f"{seen.text}\n[{said}]".lstrip(), True, seen.error)
        turn |= {"observation": seen.text, "error": seen.error, "tool_latency_s": round(self._clock() - began, 6)}
        return seen

    def stop(self, limit: str) -> None:
        """Ends the episode as out of budget for a limit that lies outside it, such as the policy's context."""
        if self.ended is None:
            self.ended = f"budget:{limit}"

    def _reached(self, calls: int, tokens: int) -> str | None:
        return self.budget.spent(calls=calls, tokens=tokens, seconds=self._clock() - self._began)

    def _run(self, text: str, turn: Turn) -> Observation:
        try:
            call = self._read(text, self._tools)
            turn["tool_call"] = {"name": call.name, "arguments": dict(call.arguments)}
            return self._called(call)
        except ToolError as error:
            return Observation(self.budget.shortened(str(error)), error="refused")
        except Infrastructure as error:
            return self._failed(error)

    def _called(self, call: Call) -> Observation:
        wanted = find_tool(call, self._tools)
        arguments = wanted.checked(call.arguments)
        if wanted.ends:
            self.submission = self.environment.submission()
            self.ended = "submitted"
            return Observation("submitted; the episode is over", done=True)
        return Observation(self.budget.shortened(self._guarded(wanted, arguments)))

    def _guarded(self, wanted: Tool, arguments: Mapping[str, Any]) -> str:
        """What a tool says; its crash is told like any other mistake, and the episode goes on."""
        try:
            return wanted.run(**arguments)
        except GradatimError:
            raise
        except Exception as error:
            raise ToolError(f"{wanted.name} failed: {type(error).__name__}: {str(error)[:200]}") from error

    def _failed(self, error: Infrastructure) -> Observation:
        self.ended, self.detail = "infra", str(error)
        return Observation("the environment failed; the episode is over", done=True, error="infra")


def submit() -> str:
    """Hand in the work as it stands and end the episode."""
    return ""
