"""Your own tasks as JSON lines: `prompt` with `answer` (math), or with `tests` and `entry` (code)."""

from __future__ import annotations

from synth.family import Item
from synth.importers.contract import broken_contract
from synth.importers.corpus import Unfit, importer
from synth.importers.reading import Row
from synth.math import prepare_gold
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
    prompt = str(row["prompt"])
    if "answer" in row:
        answer = str(row["answer"])
        kind = str(row.get("kind") or prepare_gold(answer).kind)
        format = str(row.get("answer_format", "boxed"))
        reference = str(row.get("reference") or (f"\\boxed{{{answer}}}" if format != "bare" else answer))
        return Item(prompt=prompt, answer_kind=kind, reference=reference, gold=answer, params={"answer_format": format})
    if "tests" not in row or "entry" not in row:
        raise Unfit("neither answer nor tests and entry")
    entry = str(row["entry"])
    try:
        tests = from_asserts(asserts(row["tests"]), entry=entry)
    except UserError as error:
        raise Unfit(f"tests: {str(error).partition(';')[0][:80]}") from None
    if broken := broken_contract(tests):
        raise Unfit(broken)
    return Item(
        prompt=prompt,
        answer_kind="program",
        reference=str(row.get("reference", "")),
        entry=entry,
        scaffold=str(row["scaffold"]) if "scaffold" in row else None,
        hidden_tests=tests,
    )


def asserts(tests: object) -> str:
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
    raise Unfit(f"tests is {told}, must be a text of assert statements or a list of such texts")
