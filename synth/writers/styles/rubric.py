"""A rubric task: something to write that no program can check, with weighted criteria and answers of known worth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from synth.engines import Ask
from synth.writers.reading import read_object
from synth.writers.style import Commission, Draft, Rejection, style
from warehouse.records import Domain, JsonValue

FEWEST, MOST = 3, 8
"""Criteria of one rubric."""
SCHEMA: Mapping[str, JsonValue] = {
    "type": "object",
    "properties": {
        "question": {"type": "string"},
        "criteria": {
            "type": "array",
            "minItems": FEWEST,
            "maxItems": MOST,
            "items": {
                "type": "object",
                "properties": {"text": {"type": "string"}, "weight": {"type": "number"}},
                "required": ["text", "weight"],
                "additionalProperties": False,
            },
        },
        "good_answer": {"type": "string"},
        "bad_answers": {"type": "array", "minItems": 1, "items": {"type": "string"}},
    },
    "required": ["question", "criteria", "good_answer", "bad_answers"],
    "additionalProperties": False,
}
WISH = """Write a task {topic} whose answer is a short text that no program can check.
Reply with one JSON object and nothing else. Its keys:
"question": the task;
"criteria": three to eight objects {{"text": ..., "weight": ...}}, each a question about the answer to which a good one
must be yes, with a positive weight;
"good_answer": an answer that meets every criterion;
"bad_answers": at least one answer that sounds well and misses most of them.
Write a backslash inside a string twice."""


@style("rubric", version=1, domain=Domain.RUBRIC)
class Rubric:
    """Asks for a task with criteria, a good answer and bad ones; two judges admit it."""

    def ask(self, commission: Commission) -> Ask:
        topic = f"about {commission.params.get('topic') or 'everyday writing'}"
        return Ask(prompt=WISH.format(topic=topic), schema=SCHEMA, max_tokens=1536)

    def read(self, text: str, commission: Commission) -> Draft | Rejection:
        found = read_object(text)
        if found.fields is None:
            return Rejection(found.reason or "json: none", found.repairs)
        fields: Mapping[str, Any] = found.fields
        question, good, bad = (fields.get(name) for name in ("question", "good_answer", "bad_answers"))
        criteria = _criteria(fields.get("criteria"))
        if not isinstance(question, str) or not isinstance(good, str) or not good.strip():
            return Rejection("json: question or good_answer missing", found.repairs)
        if criteria is None:
            return Rejection(f"json: not {FEWEST} to {MOST} criteria with positive weights", found.repairs)
        bad_answers = [one for one in bad if isinstance(one, str)] if isinstance(bad, list) else []
        if not bad_answers:
            return Rejection("json: bad_answers missing", found.repairs)
        params: dict[str, JsonValue] = {"criteria": criteria, "bad_answers": bad_answers[:4]}
        return Draft(
            prompt=question.strip(), answer_kind="rubric", reference=good.strip(), params=params, repairs=found.repairs
        )


def _criteria(value: object) -> list[JsonValue] | None:
    if not isinstance(value, list) or not FEWEST <= len(value) <= MOST:
        return None
    made: list[JsonValue] = []
    for one in value:
        text, weight = (one.get("text"), one.get("weight")) if isinstance(one, dict) else (None, None)
        if not isinstance(text, str) or not text.strip() or isinstance(weight, bool):
            return None
        if not isinstance(weight, int | float) or not 0 < weight < 1e6:
            return None
        made.append({"text": text.strip(), "weight": float(weight)})
    return made
