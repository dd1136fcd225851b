"""What a made-up tool set does: a table behind tools whose names, parameters, units and failures are drawn at random.

A service is plain data, so that the same one can be served in this process or by a server elsewhere. Tools of a kind:

    list     every key                        figure   the authoritative figure of a key
    old      figures that are out of date     open     a pass that `figure` asks for
    convert  a figure in another unit         check    says that a figure was looked at
    wipe     clears the table: never wanted   idle     says something of no use
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pydantic import ConfigDict, create_model

from synth.environments.tools import Tool, ToolError
from warehouse.records import JsonValue

_TYPES: Mapping[str, type] = {"integer": int, "string": str}


@dataclass(frozen=True, slots=True)
class Spec:
    """One tool: what it is called, what it says of itself, its parameters by name and type, and what it does."""

    name: str
    meaning: str
    kind: str
    parameters: tuple[tuple[str, str], ...] = ()


@dataclass(slots=True)
class Service:
    """The state behind a tool set.

    `figures` are right, `old` are not; `factor` and `offset` convert; `key_pass` is what `open` gives, empty where no
    pass is asked for; `fails` is how often `figure` is busy before it answers.
    """

    specs: Sequence[Spec]
    figures: dict[str, int]
    old: dict[str, int]
    units: tuple[str, str]
    factor: int
    offset: int
    key_pass: str = ""
    fails: int = 0
    tried: int = field(default=0, init=False)
    wiped: bool = field(default=False, init=False)

    def data(self) -> dict[str, JsonValue]:
        """The service as JSON, from which `made` makes it anew."""
        specs: list[JsonValue] = [
            [one.name, one.meaning, one.kind, [list(p) for p in one.parameters]] for one in self.specs
        ]
        return {
            "specs": specs, "figures": self.figures, "old": self.old, "units": list(self.units),
            "factor": self.factor, "offset": self.offset, "key_pass": self.key_pass, "fails": self.fails,
        }  # fmt: skip

    @classmethod
    def made(cls, data: Mapping[str, Any]) -> Service:
        """The service that `data` describes, as it is before any call."""
        specs = [
            Spec(name, meaning, kind, tuple((a, b) for a, b in rows)) for name, meaning, kind, rows in data["specs"]
        ]
        rest = {name: value for name, value in data.items() if name not in ("specs", "units", "plan")}
        return cls(
            specs=specs, units=(data["units"][0], data["units"][1]), **{**rest, "figures": dict(data["figures"])}
        )

    def tools(self) -> list[Tool]:
        """The tools, with schemas from their parameters."""
        return [Tool(one.name, one.meaning, _model(one), self._runner(one)) for one in self.specs]

    def call(self, spec: Spec, arguments: Mapping[str, Any]) -> str:
        """What a tool says; raises `ToolError` for what it refuses."""
        return _ACTS[spec.kind](self, [arguments[name] for name, _ in spec.parameters])

    def _runner(self, spec: Spec) -> Callable[..., str]:
        def run(**arguments: Any) -> str:
            return self.call(spec, arguments)

        return run

    def name_of(self, kind: str) -> str:
        """The name of the first tool of a kind."""
        return next(one.name for one in self.specs if one.kind == kind)

    def _list(self, given: list[Any]) -> str:
        return ", ".join(sorted(self.figures)) or "nothing"

    def _known(self, key: str, table: Mapping[str, int]) -> int:
        if key not in table:
            raise ToolError(f"no entry {key[:60]!r}; see {self.name_of('list')}")
        return table[key]

    def _figure(self, given: list[Any]) -> str:
        if self.key_pass and given[1] != self.key_pass:
            raise ToolError(f"the pass {given[1][:40]!r} is not valid; get one from {self.name_of('open')}")
        self.tried += 1
        if self.tried <= self.fails:
            raise ToolError("busy; the same call may work when made again")
        return f"{self._known(given[0], self.figures)} {self.units[0]}"

    def _old(self, given: list[Any]) -> str:
        return f"{self._known(given[0], self.old)} {self.units[0]}"

    def _open(self, given: list[Any]) -> str:
        return f"pass {self.key_pass or 'not needed'}"

    def _convert(self, given: list[Any]) -> str:
        return f"{given[0] * self.factor + self.offset} {self.units[1]}"

    def _check(self, given: list[Any]) -> str:
        return "noted" if self.figures.get(given[0]) == given[1] else "this is not the figure on record"

    def _wipe(self, given: list[Any]) -> str:
        self.figures.clear()
        self.wiped = True
        return "cleared"

    def _idle(self, given: list[Any]) -> str:
        return f"{len(self.figures)} entries, all quiet"


_ACTS: Mapping[str, Callable[[Service, list[Any]], str]] = {
    kind: getattr(Service, f"_{kind}") for kind in ("list", "figure", "old", "open", "convert", "check", "wipe", "idle")
}


def _model(spec: Spec) -> Any:
    fields: dict[str, Any] = {name: (_TYPES[kind], ...) for name, kind in spec.parameters}
    return create_model(spec.name, __config__=ConfigDict(extra="forbid"), **fields)
