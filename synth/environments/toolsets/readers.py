"""Two agents without a model for unknown tools: one reads what tools say of themselves, one takes what fits first.

Neither knows a tool by name, so that seen and unseen tool families are alike to both: where a policy does worse on
unseen ones it has learned by heart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from synth.environments.episode import Turn
from synth.environments.running import Policy, called
from synth.environments.tools import Tool

_GOAL = re.compile(r"How many (.+?) does .+? on record for (\S+) today")
_MUST = re.compile(r"You must use (\w+)\.")
TRIES = 5
"""How often a call that was refused is made again."""


class _Agent:
    """A policy for one episode from a generator of calls; `seen` is the newest observation, and `refused` if so."""

    def __init__(self, reads: bool) -> None:
        self._reads, self._steps = reads, self._calls()
        self._tools: Sequence[Tool] = ()
        self.seen, self.refused = "", False

    def __call__(self, turns: Sequence[Turn], tools: Sequence[Tool]) -> str:
        self._tools = tools
        self.seen = str(turns[-1].get("observation", turns[-1].get("text", "")))
        self.refused = turns[-1].get("error") is not None
        return next(self._steps)

    def _calls(self) -> Iterator[str]:
        goal = self.seen
        found = _GOAL.search(goal)
        unit, key = (found[1], found[2]) if found else ("", "")
        access = ""
        if (opener := self._saying("access pass")) is not None:
            yield called(opener.name)
            access = self.seen.removeprefix("pass ")
        source = self._saying("authoritative") if self._reads else self._first_of("string")
        for _ in range(TRIES if source else 0):
            assert source is not None
            yield called(source.name, **_arguments(source, key, access))
            if not self.refused:
                break
        number, _, measured = self.seen.partition(" ")
        value = int(number) if number.lstrip("-").isdigit() else 0
        for name in _MUST.findall(goal) if self._reads else ():
            if (noted := self._named(name)) is not None:
                yield called(name, **_arguments(noted, key, access, value))
        if measured != unit and (converter := self._saying(f"in {unit}")) is not None:
            yield called(converter.name, **_arguments(converter, key, access, value))
            value = int(self.seen.partition(" ")[0]) if not self.refused else value
        yield called("answer", value=value)
        yield called("submit")

    def _saying(self, words: str) -> Tool | None:
        return next((tool for tool in self._tools if words in tool.meaning.lower()), None)

    def _named(self, name: str) -> Tool | None:
        return next((tool for tool in self._tools if tool.name == name), None)

    def _first_of(self, kind: str) -> Tool | None:
        """The first tool that takes texts alone, and at least one."""
        wanted = str if kind == "string" else int
        for tool in self._tools:
            kinds = [field.annotation for field in tool.parameters.model_fields.values()]
            if kinds and all(one is wanted for one in kinds):
                return tool
        return None


def _arguments(tool: Tool, key: str, access: str, value: int = 0) -> dict[str, str | int]:
    fields = tool.parameters.model_fields
    return {
        name: value if field.annotation is int else access if name == "access" else key
        for name, field in fields.items()
    }


def reading() -> Policy:
    """Reads every tool's meaning, keeps the rules, converts where units differ and asks again when a tool is busy."""
    return _Agent(reads=True)


def hasty() -> Policy:
    """Takes the first tool whose parameters fit and looks at no rule."""
    return _Agent(reads=False)
