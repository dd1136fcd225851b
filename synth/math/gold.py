"""Golds, prepared and validated once: a text, its declared kind and its exact value."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from synth.math.numbers import read_number
from synth.math.plain import plain

AnswerKind = Literal[
    "integer", "rational", "decimal", "expression", "set", "tuple", "interval", "equation", "choice", "text"
]
"""What an answer is; decides how it is read and compared."""


@dataclass(frozen=True, slots=True)
class Gold:
    """A right answer, read once.

    `invalid` says why the text cannot be a gold of its kind; such a gold judges nothing.
    `tolerance` is the largest absolute difference that still counts as equal, for `decimal` only.
    """

    text: str
    kind: str
    plain: str
    number: Fraction | None = None
    tolerance: Fraction | None = None
    invalid: str | None = None


@lru_cache(maxsize=65_536)
def prepare_gold(text: str, kind: str | None = None, *, tolerance: str | None = None) -> Gold:
    """The gold that `text` writes, under the declared `kind`, or the kind inferred from it; never raises.

    `tolerance` is a decimal numeral, e.g. `"0.01"`. An unreadable text gives a `Gold` with `invalid` set.
    """
    stripped = plain(text)
    number = None if kind == "text" else read_number(stripped)
    if kind is None:
        kind = "text" if number is None else ("integer" if number.denominator == 1 else "rational")
    invalid = None
    if not stripped:
        invalid = "empty"
    elif kind in ("integer", "rational", "decimal") and number is None:
        invalid = f"not a number: {text[:80]}"
    elif kind == "integer" and number is not None and number.denominator != 1:
        invalid = f"not an integer: {text[:80]}"
    return Gold(text, kind, stripped, number, Fraction(tolerance) if tolerance else None, invalid)
