"""Whether an answer is equal to a gold: exact tiers first, then structures, then symbols."""

from __future__ import annotations

import re

from synth.math.compare import Comparison
from synth.math.equality import Equality, MathError
from synth.math.extraction import extract
from synth.math.gold import NUMERIC, Gold, Reading, read
from synth.math.plain import plain
from synth.math.tokens import MAX_CHARACTERS, TooCostly
from synth.math.tree import Node, num
from synth.math.units import compatible
from synth.math.words import choice, words
from synth.math.workers import shared

MAX_ANSWER = 200_000
"""Characters of an answer that are looked at; a longer one equals no gold."""
_MARKS = ("\\boxed", "\\fbox", "####")
_DIGITS = re.compile(r"[+-]?[\d,.]+")


def check(gold: Gold, answer: str) -> Equality:
    r"""How `answer` (an extracted answer, or a text with a `\boxed`) compares with `gold`; never raises or hangs.

    Safe from any thread. At most about one CPU second, whatever the text.

    >>> from synth.math import prepare_gold
    >>> check(prepare_gold("1200"), "1,200").value, check(prepare_gold("x+1"), "1+x").value
    ('EQUAL', 'EQUAL')
    """
    if gold.invalid is not None:
        return Equality.GOLD_INVALID
    if answer == gold.text:
        return Equality.EQUAL
    if len(answer) > MAX_ANSWER:
        return Equality.NOT_EQUAL
    if any(mark in answer for mark in _MARKS):
        extracted = extract(answer)
        if extracted.answer is None:
            return Equality.NOT_EQUAL
        answer = extracted.answer
    if gold.kind == "text":
        return Equality.EQUAL if words(plain(answer)) == words(gold.reading.plain) else Equality.NOT_EQUAL
    if gold.kind == "choice":
        return Equality.EQUAL if choice(plain(answer)) == gold.reading.plain else Equality.NOT_EQUAL
    try:
        return _mathematics(gold, answer)
    except (MathError, RecursionError, OverflowError, MemoryError):
        return Equality.UNDECIDED


def _mathematics(gold: Gold, answer: str) -> Equality:
    right = gold.reading
    given = read(answer)
    if given.plain == right.plain:
        return Equality.EQUAL
    if given.trouble is not None:
        return _unreadable(gold, given)
    outcome = _valued(gold, given)
    if outcome is Equality.EQUAL:
        fitting = compatible(right.unit, given.unit)
        if fitting is None:
            return Equality.UNDECIDED
        return Equality.EQUAL if fitting else Equality.NOT_EQUAL
    return outcome


def _valued(gold: Gold, given: Reading) -> Equality:
    right = gold.reading
    if right.number is not None and given.number is not None:
        difference = abs(right.number - given.number)
        if difference <= (gold.tolerance or 0):
            return Equality.EQUAL
        percent = gold.declared and gold.kind == "integer" and given.plain.endswith("%") and "%" not in right.plain
        return Equality.EQUAL if percent and given.number * 100 == right.number else Equality.NOT_EQUAL
    if right.node is None and right.number is None:
        return shared().compare("value", right.plain, given.plain)[0]
    return Comparison(gold.tolerance).compare(_tree(right), _tree(given))


def _tree(reading: Reading) -> Node:
    """The tree of a reading, with the degrees that were cut off as a unit put back."""
    node = reading.node if reading.node is not None else num(reading.number or 0)
    return Node("degree", (node,)) if reading.unit == "degree" else node


def _unreadable(gold: Gold, given: Reading) -> Equality:
    """What an answer outside the grammar is: calculus goes to a worker, words and monsters are no number."""
    text = given.plain
    if given.calculus:
        return shared().compare("value", gold.reading.plain, text)[0]
    if isinstance(given.trouble, TooCostly):
        short = len(text) > MAX_CHARACTERS and len(gold.reading.plain) <= MAX_CHARACTERS
        if short or (_DIGITS.fullmatch(text) and gold.reading.number is not None):
            return Equality.NOT_EQUAL
        return Equality.UNDECIDED
    if gold.kind in NUMERIC or "\\" not in text:
        return Equality.NOT_EQUAL
    return Equality.UNDECIDED
