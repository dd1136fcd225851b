"""Answers to a math task that are right or wrong by construction: other forms of its gold, and perturbed golds.

Truth comes from exact arithmetic on what was written, never from the checker under audit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from typing import NamedTuple

from synth.math.number_pairs import grouped, repeating
from warehouse.records import Task

_NUMBER = re.compile(r"[+-]?\d{1,15}(?:,\d{3})*(?:\.\d{1,12})?(?:/[1-9]\d{0,9})?")
_PLAIN = re.compile(r"-?\d+(?:\.\d+)?")
_STRUCTURE = re.compile(r"[(\[{\\][\d\s,\-\\(\[{]*\d[\d\s,\-\\)\]}]*")
_FAR = 1_000_003
"""A number that no gold of a structure holds."""


class Answer(NamedTuple):
    """A completion, the form in which it answers, and whether it is right."""

    form: str
    completion: str
    right: bool


def answers(task: Task) -> list[Answer]:
    """Completions in the task's own answer format; empty for a gold of a kind that has no sure forms."""
    gold = (task.gold or "").strip()
    format = str(task.params.get("answer_format", "boxed"))
    seen = set[str]()
    found = []
    for form, text, right in _forms(task, gold, format):
        if text not in seen and (format not in ("gsm8k", "last_number") or _PLAIN.fullmatch(text)):
            seen.add(text)
            found.append(Answer(form, _completion(text, format), right))
    return found


def _completion(text: str, format: str) -> str:
    if format == "bare":
        return text
    if format == "gsm8k":
        return f"Adding up gives the total.\n#### {text}"
    if format == "last_number":
        return f"The answer is {text}"
    return f"Adding up, the answer is \\boxed{{{text}}}."


def _forms(task: Task, gold: str, format: str) -> Iterator[tuple[str, str, bool]]:
    if not gold:
        return
    yield "itself", gold, True
    if format == "bare":
        yield "with space around", f" {gold}\n", True
    if task.answer_kind == "choice":
        yield from _choices(gold)
    elif task.answer_kind == "text":
        yield from _texts(gold, exact=format == "bare")
    elif _NUMBER.fullmatch(gold):
        tolerance = Fraction(str(task.params.get("tolerance") or 0))
        yield from _numbers(Fraction(gold.replace(",", "")), tolerance)
    elif task.answer_kind in ("tuple", "set", "interval") and _STRUCTURE.fullmatch(gold):
        yield "spaced", re.sub(r",\s*", " ,  ", gold), True
        yield "one number changed", re.sub(r"-?\d+", str(_FAR), gold, count=1), False
    elif task.answer_kind == "expression":
        yield "in parentheses", f"({gold})", True
        yield "plus one", f"({gold})+1", False


def _choices(gold: str) -> Iterator[tuple[str, str, bool]]:
    letter = "".join(re.findall(r"[A-Z]", gold.upper()))
    if len(letter) == 1:
        yield "in parentheses", f"({letter})", True
        yield "next letter", chr((ord(letter) - 64) % 26 + 65), False


def _texts(gold: str, *, exact: bool) -> Iterator[tuple[str, str, bool]]:
    if not exact:
        yield "in text", f"\\text{{{gold}}}", True
    for form, text in (
        ("reversed", gold[::-1]),
        ("last letter lost", gold[:-1]),
        ("first letter twice", gold[:1] + gold),
    ):
        if _letters(text) != _letters(gold):
            yield form, text, False


def _letters(text: str) -> str:
    return "".join(sign for sign in text.casefold() if sign.isalnum())


def _numbers(value: Fraction, tolerance: Fraction) -> Iterator[tuple[str, str, bool]]:
    p, q = value.numerator, value.denominator
    if q == 1:
        yield "digits", str(p), True
        yield "with point", f"{p}.0", True
        yield "with leading zeros", f"-00{-p}" if p < 0 else f"00{p}", True
        if abs(p) >= 1000:
            yield "grouped", grouped(p), True
    elif 10**12 % q == 0:
        yield "decimal", repeating(value), True
    yield "doubled fraction", f"{2 * p}/{2 * q}", True
    yield "latex fraction", f"{'-' if p < 0 else ''}\\frac{{{abs(p)}}}{{{q}}}", True
    wrong = {
        "one more": value + 1,
        "one less": value - 1,
        "other sign": -value,
        "ten times": value * 10,
        "a little more": value + Fraction(1, 1000),
    }
    for form, other in wrong.items():
        if abs(other - value) > tolerance:
            yield form, repeating(other) if 10**12 % other.denominator == 0 else f"{other}", False
