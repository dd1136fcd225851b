"""Whether an answer is equal to a gold: exact tiers first, then structures, then symbols."""

from __future__ import annotations

from synth.math.equality import Equality
from synth.math.extraction import extract
from synth.math.gold import Gold
from synth.math.numbers import read_number
from synth.math.plain import plain


def check(gold: Gold, answer: str) -> Equality:
    r"""How `answer` (an extracted answer, or a text with a `\boxed`) compares with `gold`; never raises or hangs.

    >>> from synth.math import prepare_gold
    >>> check(prepare_gold("1200"), "1,200").value
    'EQUAL'
    """
    if gold.invalid is not None:
        return Equality.GOLD_INVALID
    if answer == gold.text:
        return Equality.EQUAL
    if "\\boxed" in answer or "\\fbox" in answer:
        extracted = extract(answer)
        if extracted.answer is None:
            return Equality.NOT_EQUAL
        answer = extracted.answer
    stripped = plain(answer)
    if stripped == gold.plain:
        return Equality.EQUAL
    if gold.kind == "text":
        return Equality.EQUAL if stripped.casefold() == gold.plain.casefold() else Equality.NOT_EQUAL
    number = read_number(stripped)
    if number is None or gold.number is None:
        return Equality.NOT_EQUAL
    if gold.tolerance is not None:
        return Equality.EQUAL if abs(number - gold.number) <= gold.tolerance else Equality.NOT_EQUAL
    return Equality.EQUAL if number == gold.number else Equality.NOT_EQUAL
