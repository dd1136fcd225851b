"""The forms in which tasks are asked of a model: JSON schemas, and how a filled one becomes a draft."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

from synth.answers import INSTRUCTION, boxed
from synth.math.gold import KINDS
from synth.sandbox import Test
from synth.syntax import tree_of
from synth.writers.reading import read_object
from synth.writers.style import Draft, Rejection
from warehouse.records import JsonValue

MATH_KINDS = ("integer", "rational", "decimal", "expression", "text")
"""Answer kinds that a model is offered."""
MOST_TESTS = 40
SOLVE = "solve"
"""The function that the program of a reply of the form `PROGRAM` defines."""
_FENCE = re.compile(r"```python\n(.*?)\n```", re.DOTALL)

QUESTION: Mapping[str, JsonValue] = {
    "type": "object",
    "properties": {
        "question": {"type": "string"},
        "solution": {"type": "string"},
        "answer": {"type": "string"},
        "answer_kind": {"type": "string", "enum": list(MATH_KINDS)},
    },
    "required": ["question", "solution", "answer", "answer_kind"],
    "additionalProperties": False,
}
PROGRAM: Mapping[str, JsonValue] = {
    **QUESTION,
    "properties": {"program": {"type": "string"}, **dict(QUESTION["properties"])},  # type: ignore[arg-type]
    "required": ["program", "question", "answer", "answer_kind"],
}
CALLS: JsonValue = {
    "type": "array",
    "minItems": 3,
    "items": {
        "type": "object",
        "properties": {"args": {"type": "array"}, "expected": {}},
        "required": ["args", "expected"],
        "additionalProperties": False,
    },
}
FUNCTION: Mapping[str, JsonValue] = {
    "type": "object",
    "properties": {
        "question": {"type": "string"},
        "entry": {"type": "string"},
        "program": {"type": "string"},
        "tests": CALLS,
    },
    "required": ["question", "entry", "program", "tests"],
    "additionalProperties": False,
}

ORDER = """Reply with one JSON object and nothing else. Its keys:
"question": the whole task as a solver will read it, with every number that is needed and exactly one right answer;
"solution": a short worked solution;
"answer": the final answer alone, without words or units;
"answer_kind": one of integer, rational, decimal, expression, text.
Write a backslash inside a string twice."""


def read_question(text: str) -> Draft | Rejection:
    """The math task in a reply of the form `QUESTION` or `PROGRAM`, its answer asked for in a box."""
    found = read_object(text)
    if found.fields is None:
        return Rejection(found.reason or "json: none", found.repairs)
    fields: Mapping[str, Any] = found.fields
    question, answer = fields.get("question"), fields.get("answer")
    kind = fields.get("answer_kind", "integer")
    if not isinstance(question, str) or not isinstance(answer, str | int | float) or isinstance(answer, bool):
        return Rejection("json: question or answer missing", found.repairs)
    if str(kind) not in KINDS:
        return Rejection("json: unknown answer_kind", found.repairs)
    told, program = fields.get("solution"), fields.get("program")
    worked = f"{told.strip()}\n" if isinstance(told, str) and told.strip() else ""
    if isinstance(program, str) and program.strip():
        worked = f"```python\n{program.strip()}\n```\n"
    return Draft(
        prompt=f"{question.strip()} {INSTRUCTION}" if question.strip() else "",
        answer=str(answer).strip(),
        answer_kind=str(kind),
        reference=worked + boxed(str(answer).strip()),
        repairs=found.repairs,
    )


def program_in(reference: str) -> str | None:
    """The program before a worked answer, where there is one and it defines `SOLVE`."""
    found = _FENCE.search(reference)
    if found is None:
        return None
    try:
        defined = [node.name for node in tree_of(found[1]).body if isinstance(node, ast.FunctionDef)]
    except (SyntaxError, ValueError):
        return None
    return found[1] if SOLVE in defined else None


def read_function(text: str) -> Draft | Rejection:
    """The code task in a reply of the form `FUNCTION`."""
    found = read_object(text)
    if found.fields is None:
        return Rejection(found.reason or "json: none", found.repairs)
    fields: Mapping[str, Any] = found.fields
    question, entry, program = (fields.get(name) for name in ("question", "entry", "program"))
    if not all(isinstance(part, str) and part.strip() for part in (question, entry, program)):
        return Rejection("json: question, entry or program missing", found.repairs)
    tests = calls_of(fields.get("tests"))
    if not tests:
        return Rejection("json: no tests", found.repairs)
    return Draft(
        prompt=f"{str(question).strip()}\nThe function is called {entry}. Write the whole function.",
        answer_kind="program",
        entry=str(entry).strip(),
        program=str(program),
        tests=tests,
        repairs=found.repairs,
    )


def calls_of(value: object) -> tuple[Test, ...]:
    """The calls in a list of `{"args", "expected"}`, without those that say nothing or that come twice."""
    made: list[Test] = []
    for call in value[:MOST_TESTS] if isinstance(value, list) else []:
        if isinstance(call, dict) and isinstance(call.get("args"), list) and "expected" in call:
            test = Test(args=tuple(call["args"]), expected=call["expected"])
            if test not in made:
                made.append(test)
    return tuple(made)
