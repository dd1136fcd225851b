"""The terse grammar of policies too small for JSON: a tool's name and its arguments, divided by spaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from synth.environments.calls import Call, Reader, find_tool, json_call
from synth.environments.tools import Tool, ToolError
from warehouse.records import JsonValue


def terse_call(text: str, tools: Sequence[Tool]) -> Call:
    """The call that a message is: `set 2 *3` calls `set` with its parameters in order, the last takes the rest.

    Raises `ToolError` for an empty message or an unknown tool; arguments are checked as those of any call are.
    """
    name, *rest = text.strip().split(" ", 1)
    if not name:
        raise ToolError("no call in the message; write a tool's name and its arguments, divided by spaces")
    fields = find_tool(Call(name, {}), tools).parameters.model_fields
    said = rest[0].split(" ", len(fields) - 1) if rest and fields else rest
    arguments: dict[str, JsonValue] = {}
    for place, word in enumerate(said):
        field = list(fields)[place] if place < len(fields) else "rest"
        wanted = fields[field].annotation if field in fields else str
        arguments[field] = int(word) if wanted is int and word.isascii() and word.isdigit() else word
    return Call(name, arguments)


GRAMMARS: Mapping[str, Reader] = {"json": json_call, "terse": terse_call}
"""How a policy writes a call, by name."""
