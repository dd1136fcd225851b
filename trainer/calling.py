"""How a policy's calls are read: as JSON, or in the form that its chat template writes them in."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any, NamedTuple

from trl.chat_template_utils import add_response_schema, parse_response

from synth.environments.calls import Call, Reader, sound_call
from synth.environments.terse import GRAMMARS
from synth.environments.tools import Tool, ToolError
from trainer.policies import LoadedPolicy

OPENS, CLOSES = "<tool_call>", "</tool_call>"
PROBE = f'{OPENS}\n{{"name": "probe", "arguments": {{}}}}\n{CLOSES}'


def reader_of(policy: LoadedPolicy, grammar: str) -> Reader:
    """The reader of a grammar; under `json`, also of another form where TRL knows the policy's template by it.

    What JSON cannot be read from is then read as the template's own call, one a message, typed by the tool's schema;
    a message that is neither is refused as the JSON reader refuses it, and so is a call that is cut off.
    """
    read = GRAMMARS[grammar]
    parser = _parser(policy) if grammar == "json" and policy.chat else None
    if parser is None:
        return read

    def either(text: str, tools: Sequence[Tool]) -> Call:
        try:
            return read(text, tools)
        except ToolError:
            found = _calls(parser, text, tools)
            if len(found) != 1:
                raise
            if text.count(OPENS) > text.count(CLOSES):
                raise ToolError(f"the call is cut off: {CLOSES} is missing; nothing was run") from None
            return sound_call(*found[0])

    return either


class _Parser(NamedTuple):
    """A tokenizer that parses its template's calls, and the ids that open a turn of the policy."""

    tokenizer: Any
    opening: list[int]


def _parser(policy: LoadedPolicy) -> _Parser | None:
    """What parses a template's calls; none where TRL does not know it, or where its calls are JSON."""
    own = copy(policy.tokenizer)
    if getattr(own, "response_template", None) is None:
        try:
            add_response_schema(own)
        except ValueError:
            return None
    parser = _Parser(own, policy.encode(["-"])[0])
    return None if _calls(parser, PROBE, ()) else parser


def _calls(parser: _Parser, text: str, tools: Sequence[Tool]) -> list[Call]:
    if not (ids := list(parser.tokenizer(text, add_special_tokens=False)["input_ids"])):
        return []
    schemas: Any = [tool.schema for tool in tools] or None
    parsed = parse_response(parser.tokenizer, ids, prefix=parser.opening, tools=schemas)
    functions = [one.get("function", {}) for one in parsed.get("tool_calls") or ()]
    return [
        Call(str(one["name"]), dict(one["arguments"])) for one in functions if isinstance(one.get("arguments"), dict)
    ]
