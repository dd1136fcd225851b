"""From what a policy wrote to the one tool call in it, or to what is wrong with it in a sentence it can act on."""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from synth.environments.tools import Tool, ToolError

MAX_CHARACTERS = 1 << 20
"""Longest message that is read for a call."""
_TAGGED = re.compile(r"<tool_call>(.*?)(?:</tool_call>|\Z)", re.DOTALL)
_FENCED = re.compile(r"```[ \t]*(?:json|tool_call|tool)?[ \t]*\r?\n(.*?)(?:```|\Z)", re.DOTALL)
_BARE = re.compile(r'\{\s*"(?:name|function|tool|type)"\s*:')
_THINK = re.compile(r"</(?:think|thinking|thought|reasoning)>", re.IGNORECASE)
EXAMPLE = '{"name": "TOOL", "arguments": {...}}'


class Call(NamedTuple):
    """One call as the policy asked for it: the arguments are JSON, not yet checked against the tool."""

    name: str
    arguments: Mapping[str, Any]


Reader = Callable[[str, Sequence[Tool]], Call]
"""What finds the one call in a message, given the tools; raises `ToolError` where there is none."""


def json_call(text: str, tools: Sequence[Tool]) -> Call:
    """`parse_call` as a reader: it needs no tools to read a message."""
    return parse_call(text)


def parse_call(text: str) -> Call:
    r"""The one tool call of a message; raises `ToolError` for none, several, or one that cannot be read.

    Read are `<tool_call>{...}</tool_call>`, a fenced block, and a bare object with "name" and "arguments", also
    inside "function" and with the arguments as JSON text. What stands before the end of a thinking block is no call.

    >>> parse_call('Look: {"name": "read", "arguments": {"path": "a.py"}}')
    Call(name='read', arguments={'path': 'a.py'})
    """
    if len(text) > MAX_CHARACTERS:
        raise ToolError(f"the message has {len(text)} characters; at most {MAX_CHARACTERS} are read; nothing was run")
    *_, text = _THINK.split(text) if "</" in text else (text,)
    candidates = _candidates(text)
    if not candidates:
        raise ToolError(f"no tool call in the message; write one as {EXAMPLE}")
    if len(candidates) > 1:
        raise ToolError(f"{len(candidates)} tool calls in one message; write one at a time; nothing was run")
    return _call(candidates[0])


def find_tool(call: Call, tools: Sequence[Tool]) -> Tool:
    """The tool that a call names; raises `ToolError` with the nearest names and all of them."""
    for one in tools:
        if one.name == call.name:
            return one
    names = [one.name for one in tools]
    near = difflib.get_close_matches(call.name[:100], names, n=1)
    nearest = f"did you mean {near[0]}? " if near else ""
    raise ToolError(f"there is no tool {call.name[:100]!r}; {nearest}there are: {', '.join(names)}")


def beside(text: str) -> str:
    """What a message says beside its calls, without its thinking.

    >>> beside('I look first. {"name": "look", "arguments": {"line": 1}}')
    'I look first.'
    """
    *_, text = _THINK.split(text) if "</" in text else (text,)
    for candidate in _candidates(text):
        text = text.replace(candidate, "", 1)
    for sign in ("<tool_call>", "</tool_call>", "```json", "```tool_call", "```tool", "```"):
        text = text.replace(sign, "")
    return text.strip()


def _candidates(text: str) -> list[str]:
    """The pieces of a message that are meant as calls, the most explicit form first."""
    for form in (_TAGGED, _FENCED):
        if found := [match[1] for match in form.finditer(text) if "{" in match[1]]:
            return found
    found, end = [], 0
    for match in _BARE.finditer(text):
        if match.start() < end:
            continue
        end = _end(text, match.start())
        found.append(text[match.start() : end])
    return found


def _end(text: str, start: int = 0) -> int:
    """Where the JSON object that begins at `start` ends; the end of the text when it does not end."""
    depth, quoted, escaped = 0, False, False
    for place in range(start, len(text)):
        char = text[place]
        if escaped:
            escaped = False
        elif quoted:
            quoted, escaped = char != '"', char == "\\"
        elif char == '"':
            quoted = True
        else:
            depth += (char in "{[") - (char in "}]")
            if depth == 0:
                return place + 1
    return len(text)


def _call(text: str) -> Call:
    said = _read(text.strip())
    if isinstance(said, Mapping) and isinstance(said.get("function"), Mapping):
        said = said["function"]
    if not isinstance(said, Mapping):
        raise ToolError(f"a tool call is an object like {EXAMPLE}, not {_kind(said)}")
    name = said.get("name", said.get("tool"))
    if not isinstance(name, str):
        raise ToolError(f"the call does not say which tool: give a text as name, like {EXAMPLE}")
    arguments = said.get("arguments", said.get("parameters", {}))
    if isinstance(arguments, str):
        arguments = _read(arguments)
    if not isinstance(arguments, Mapping):
        raise ToolError(f"arguments of {name[:100]} are {_kind(arguments)}, not an object like {{...}}")
    return sound_call(name, arguments)


def sound_call(name: str, arguments: Mapping[str, Any]) -> Call:
    """The call of a tool; raises `ToolError` for arguments that could not be stored."""
    try:
        json.dumps([name, arguments], ensure_ascii=False, allow_nan=False).encode()
    except (ValueError, RecursionError):
        raise ToolError("the call holds half a character or a number beyond all bounds; nothing was run") from None
    return Call(name, arguments)


def _read(text: str) -> Any:
    if _end(text) == len(text) and not text.endswith(("}", "]")) and text[:1] in "{[":
        raise ToolError(f"the call is cut off: its JSON does not end within {len(text)} characters; nothing was run")
    try:
        return json.loads(text, object_pairs_hook=_once, parse_constant=_no_constant, strict=False)
    except json.JSONDecodeError as error:
        raise ToolError(f"the call is not JSON: {error.msg} at character {error.pos}; nothing was run") from None
    except RecursionError:
        raise ToolError("the call is nested too deep; nothing was run") from None
    except ValueError as error:
        raise ToolError(f"the call is not JSON: {str(error)[:200]}; nothing was run") from None


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) != len(pairs):
        raise ToolError("the call names one key twice; nothing was run")
    return made


def _no_constant(word: str) -> None:
    raise ValueError(f"{word} is no JSON")


def _kind(value: object) -> str:
    kinds = {list: "a list", str: "a text", type(None): "nothing", bool: "a truth value", dict: "an object"}
    return kinds.get(type(value), "a number")
