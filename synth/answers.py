r"""How families outside the pocket ask for an answer: in `\boxed{}`, as every larger policy writes it."""

from __future__ import annotations

from synth.family import Item
from warehouse.records import JsonValue

INSTRUCTION = "Give the answer in \\boxed{}."


def boxed(answer: object) -> str:
    r"""`answer` as a completion that states it.

    >>> boxed(12)
    '\\boxed{12}'
    """
    return f"\\boxed{{{answer}}}"


def asked(question: str, gold: object, kind: str = "integer", **params: JsonValue) -> Item:
    """An item that asks `question` and expects `gold`, an answer of `kind`."""
    answer = str(gold)
    return Item(
        prompt=f"{question} {INSTRUCTION}",
        answer_kind=kind,
        reference=boxed(answer),
        gold=answer,
        params={"answer_format": "boxed", **params},
    )
