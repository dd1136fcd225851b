"""The terse grammar of policies too small for JSON: a tool's name and its arguments, divided by spaces."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from synth.environments.calls import Call, Reader, json_call
from synth.environments.tools import Tool, ToolError
from warehouse.records import JsonValue

NO = "no"


def terse_call(text: str, tools: Sequence[Tool]) -> Call:
    """The call that a message is: `set 2 *3` calls `set` with its parameters in order, the last takes the rest.

    Raises `ToolError` for anything else, with the one word that such a policy can read: `no`.
    """
    name, *rest = text.strip().split(" ", 1)
    wanted = next((tool for tool in tools if tool.name == name), None)
    if wanted is None:
        raise ToolError(NO)
    call = Call(name, _arguments(wanted, rest))
    try:
        wanted.checked(call.arguments)
    except ToolError:
        raise ToolError(NO) from None
    return call


def _arguments(tool: Tool, rest: Sequence[str]) -> dict[str, JsonValue]:
    """What stands behind a tool's name, by parameter; what is too much is named so, and refused."""
    fields = tool.parameters.model_fields
    said = rest[0].split(" ", len(fields) - 1) if rest and fields else rest
    arguments: dict[str, JsonValue] = {}
    for place, word in enumerate(said):
        field = list(fields)[place] if place < len(fields) else "rest"
        number = field in fields and fields[field].annotation is int and word.isascii() and word.isdigit()
        arguments[field] = int(word) if number else word
    return arguments


GRAMMARS: Mapping[str, Reader] = {"json": json_call, "terse": terse_call}
"""How a policy writes a call, by name."""
