"""Your own tasks as JSON lines: `prompt` with `answer` (math), or with `tests` and `entry` (code)."""

from __future__ import annotations

from typing import get_args

from synth.family import Item
from synth.importers.contract import broken_contract
from synth.importers.corpus import Unfit, importer, text_of
from synth.importers.reading import Row
from synth.math import prepare_gold
from synth.math.extraction import AnswerFormat
from synth.math.gold import KINDS
from synth.sandbox import from_asserts
from warehouse.errors import UserError

OPTIONAL = ("answer", "kind", "answer_format", "tests", "entry", "scaffold", "reference")
MEANT = {
    "solution": "reference",
    "canonical_solution": "reference",
    "code": "reference",
    "completion": "reference",
    "question": "prompt",
    "problem": "prompt",
    "test": "tests",
    "test_list": "tests",
    "entry_point": "entry",
    "function": "entry",
    "gold": "answer",
    "target": "answer",
    "label": "answer",
}
"""Names that other formats have for the fields."""


@importer("jsonl", version=1, licence="LicenseRef-own", fields=("prompt",), optional=OPTIONAL, meant=MEANT)
def jsonl(row: Row) -> Item:
    """The item of one row; raises `Unfit` when it has neither an answer nor tests.

    Math: `answer`, optionally `kind` (integer, rational, text, ...) and `answer_format`. Code: `tests` (assert
    statements, as one text or a list of texts), `entry`, optionally `scaffold` and `reference`.
    """
    prompt = text_of(row, "prompt")
    if row.get("answer") is not None:
        return _math(row, prompt, row["answer"])
    if row.get("tests") is None or row.get("entry") is None:
        raise Unfit("neither answer nor tests and entry")
    entry = text_of(row, "entry").strip()
    if not entry.isidentifier():
        raise Unfit("entry is no name of a function")
    try:
        tests = from_asserts(asserts(row["tests"]), entry=entry)
    except UserError as error:
        raise Unfit(f"tests: {str(error).partition(';')[0][:80]}") from None
    if broken := broken_contract(tests):
        raise Unfit(broken)
    return Item(
        prompt=prompt,
        answer_kind="program",
        reference=text_of(row, "reference", default=""),
        entry=entry,
        scaffold=None if row.get("scaffold") is None else text_of(row, "scaffold"),
        hidden_tests=tests,
    )


def _math(row: Row, prompt: str, answer: object) -> Item:
    if not isinstance(answer, str | int | float) or isinstance(answer, bool):
        raise Unfit(f"answer is {type(answer).__name__}, must be a text or a number")
    gold = str(answer)
    if gold.strip().casefold() == "nan" and row.get("kind") != "text":
        raise Unfit("answer is nan, which is what a lost one reads as")
    kind = text_of(row, "kind", default=prepare_gold(gold).kind)
    if kind not in KINDS:
        raise Unfit(f"kind must be one of {', '.join(sorted(KINDS))}")
    format = text_of(row, "answer_format", default="boxed")
    if format not in get_args(AnswerFormat):
        raise Unfit(f"answer_format must be one of {', '.join(get_args(AnswerFormat))}")
    reference = text_of(row, "reference", default="") or (gold if format == "bare" else f"\\boxed{{{gold}}}")
    return Item(prompt=prompt, answer_kind=kind, reference=reference, gold=gold, params={"answer_format": format})


def asserts(tests: object, name: str = "tests") -> str:
    r"""Assert statements as one text; raises `Unfit` for what is neither a text nor a list of texts.

    >>> asserts(["assert f(1) == 2", "assert f(2) == 3"])
    'assert f(1) == 2\nassert f(2) == 3'
    """
    if isinstance(tests, str):
        return tests
    if isinstance(tests, list) and all(isinstance(line, str) for line in tests):
        return "\n".join(tests)
    inner = {type(line).__name__ for line in tests if not isinstance(line, str)} if isinstance(tests, list) else set()
    told = f"a list with {', '.join(sorted(inner))} in it" if inner else type(tests).__name__
    raise Unfit(f"{name} is {told}, must be a text of assert statements or a list of such texts")
