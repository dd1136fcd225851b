"""The format of a JSON answer: a schema, and two parsers that must agree on the value."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pydantic_core
from jsonschema.protocols import Validator  # type: ignore[import-untyped]
from pydantic import Field, model_validator

from synth.graders.grader import Case, Grade, Kind, Params, Referee, grader

MAX_CHARACTERS = 200_000


class JsonFormatParams(Params):
    """Settings of `json_format`."""

    schema_: dict[str, Any] = Field(default_factory=dict, alias="schema")
    """The JSON schema that the value must satisfy."""
    fenced: bool = True
    """Whether the value may stand in a code fence."""

    @model_validator(mode="after")
    def _is_schema(self) -> JsonFormatParams:
        try:
            jsonschema.Draft202012Validator.check_schema(self.schema_)
        except jsonschema.SchemaError as error:
            raise ValueError(f"not a JSON schema: {error.message}") from None
        return self


class _Twice(ValueError):
    """A key that stands twice in one object: parsers disagree about such text."""


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) < len(pairs):
        raise _Twice("a key stands twice")
    return value


def _refused(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


def parse_twice(text: str) -> Any:
    """The value of strict JSON on which two parsers agree; raises `ValueError` otherwise."""
    first = json.loads(text, object_pairs_hook=_unique, parse_constant=_refused)
    second = pydantic_core.from_json(text, allow_inf_nan=False)
    if json.dumps(first, sort_keys=True) != json.dumps(second, sort_keys=True):
        raise ValueError("two parsers read different values")
    return first


@grader("json_format", version=1, kind=Kind.CONSTRAINT)
class JsonFormat:
    """1 for a completion that is one JSON value of the schema, else 0."""

    Settings = JsonFormatParams

    def __init__(self, params: JsonFormatParams, referee: Referee | None) -> None:
        self._params = params
        self._validator: Validator = jsonschema.Draft202012Validator(params.schema_)

    def grade(self, cases: Sequence[Case]) -> list[Grade]:
        """Whether each completion keeps the format."""
        return [self._grade(case.completion) for case in cases]

    def _grade(self, completion: str) -> Grade:
        if len(completion) > MAX_CHARACTERS:
            return Grade(0.0, detail=f"longer than {MAX_CHARACTERS} characters")
        text = completion.strip()
        if self._params.fenced and text.startswith("```") and text.endswith("```") and len(text) > 6:
            text = text[3:-3].removeprefix("json")
        try:
            error = next(iter(self._validator.iter_errors(parse_twice(text))), None)
        except (ValueError, RecursionError) as refused:
            return Grade(0.0, detail=f"not JSON: {str(refused)[:80]}")
        return Grade(1.0) if error is None else Grade(0.0, detail=f"against the schema at {error.json_path}")
