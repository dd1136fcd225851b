"""Calls in the forms that chat templates write them in."""

from __future__ import annotations

import string
from dataclasses import replace
from pathlib import Path

import pytest
from trl import chat_template_utils as templates

from synth.environments import ToolError
from synth.environments.calls import Call
from synth.environments.snippets import Snippet
from trainer import policies
from trainer.calling import reader_of
from trainer.tokenizer import build_tokenizer

FOLDER = Path(templates.__file__).parent / "chat_templates"
TOOLS = Snippet(None).tools  # type: ignore[arg-type]
XML = (
    "<tool_call>\n<function=set>\n<parameter=line>\n2\n</parameter>\n"
    "<parameter=text>\n+3\n</parameter>\n</function>\n</tool_call>"
)
JSON = '<tool_call>\n{"name": "set", "arguments": {"line": 2, "text": "+3"}}\n</tool_call>'
SET = Call("set", {"line": 2, "text": "+3"})


def speaker(template: str | None) -> policies.LoadedPolicy:
    tokenizer = build_tokenizer(string.printable)
    tokenizer.chat_template = template and (FOLDER / template).read_text("utf-8")
    return replace(policies.fresh_pocket(0), tokenizer=tokenizer)


@pytest.mark.parametrize("template", [None, "qwen2_5.jinja", "qwen3_5_nothink.jinja", "gemma.jinja"])
def test_json_is_read_under_every_template(template: str | None):
    assert reader_of(speaker(template), "json")(JSON, TOOLS) == SET


def test_the_templates_own_form_is_read_with_the_types_of_the_tool():
    read = reader_of(speaker("qwen3_5_nothink.jinja"), "json")
    assert read(f"I set it.\n{XML}", TOOLS) == SET
    with pytest.raises(ToolError):
        reader_of(speaker("qwen2_5.jinja"), "json")(XML, TOOLS)


@pytest.mark.parametrize(
    "text",
    ["", "I am done.", f"{XML}\n{XML}", '{"name": "set", "argu', *(XML[:size] for size in range(20, len(XML), 7))],
)
def test_what_is_no_call_is_refused_as_ever(text: str):
    with pytest.raises(ToolError, match="call"):
        reader_of(speaker("qwen3_5_nothink.jinja"), "json")(text, TOOLS)


def test_the_tokenizer_stays_as_it_was():
    policy = speaker("qwen3_5_nothink.jinja")
    reader_of(policy, "json")
    assert getattr(policy.tokenizer, "response_template", None) is None
    assert reader_of(policy, "terse")("set 2 +3", TOOLS) == SET
