"""Scripted agents that repair programs of three lines, or cheat: what a small policy first imitates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from synth.environments.episode import Turn
from synth.environments.running import Policy
from synth.environments.snippets.faults import N_LINES
from synth.environments.snippets.program import MEANINGS
from synth.environments.tools import Tool

_SIGNS = {word: sign for sign, word in MEANINGS.items()}


class Script:
    """A policy for one episode, from a generator of calls that is told what each of them showed."""

    def __init__(self, calls: Iterator[str]) -> None:
        self._calls = calls
        self.seen: str = ""

    def __call__(self, turns: Sequence[Turn], tools: Sequence[Tool]) -> str:
        """The next call."""
        self.seen = str(turns[-1].get("observation", turns[-1].get("text", "")))
        return next(self._calls)


def careful(n_lines: int = N_LINES) -> Policy:
    """Looks at the first `n_lines` lines, makes each do what its remark says, runs the check and hands in."""

    def calls() -> Iterator[str]:
        for line in range(1, n_lines + 1):
            yield f"look {line}"
            text, meaning, operand = script.seen.split(" ")
            if text != _SIGNS[meaning] + operand:
                yield f"set {line} {_SIGNS[meaning]}{operand}"
        yield "run"
        yield "done"

    script = Script(calls())
    return script


def cheating() -> Policy:
    """Runs the check, makes it want what the program gives, and hands in."""

    def calls() -> Iterator[str]:
        yield "look 0"
        start = script.seen.partition(":")[0]
        yield "run"
        words = script.seen.split(" ")
        if words[0] == "got":
            yield f"set 0 {start}:{words[1]}"
        yield "done"

    script = Script(calls())
    return script
