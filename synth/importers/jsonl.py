"""Your own tasks as JSON lines: `prompt` with `answer` (math), or with `tests` and `entry` (code)."""

from __future__ import annotations

from synth.family import Item
from synth.importers.contract import broken_contract
from synth.importers.corpus import Unfit, importer
from synth.importers.reading import Row
from synth.math import prepare_gold
from synth.sandbox import from_asserts
from warehouse.errors import UserError


@importer("jsonl", version=1, licence="LicenseRef-own", fields=("prompt",))
def jsonl(row: Row) -> Item:
    """The item of one row; raises `Unfit` when it has neither an answer nor tests.

    Math: `answer`, optionally `kind` (integer, rational, text, ...) and `answer_format`. Code: `tests` (assert
    statements), `entry`, optionally `scaffold` and `reference`.
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
        tests = from_asserts(str(row["tests"]), entry=entry)
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
