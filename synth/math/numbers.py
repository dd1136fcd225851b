r"""Rational numbers as people write them, read exactly: `1,200`, `28%`, `3 1/2`, `0.\overline{3}`, `1.2\times10^3`.

Covered: signs, leading zeros, thousands separators, decimals, percent, fractions, mixed numbers, repeating
decimals, scientific notation. Not covered (the expression parser's): anything with letters, roots or operators.
"""

from __future__ import annotations

import re
from fractions import Fraction

MAX_DIGITS = 4000
"""Digits that are read as a number; longer ones are compared as text."""

_INT = r"\d{1,3}(?:,\d{3})+|\d{1,3}(?: \d{3})+|\d+"
_SIMPLE = re.compile(r"[+-]? ?\d{1,18}")
_DECIMAL = re.compile(rf"(?P<sign>[+-]?) ?(?P<whole>{_INT})?(?:\.(?P<part>\d*))?(?P<percent> ?%| ?percent)?")
_SCIENTIFIC = re.compile(
    r"(?P<mantissa>[+-]?\d+(?:\.\d+)?|[+-]?\.\d+)(?:[eE](?P<e>[+-]?\d{1,5})"
    r"| ?(?:\\times|\\cdot|\*|x) ?10 ?(?:\^|\*\*) ?(?:\{ ?(?P<braced>[+-]?\d{1,5}) ?\}|(?P<bare>[+-]?\d{1,5})))"
)
_POWER_OF_TEN = re.compile(r"(?P<sign>[+-]?)10\^(?:\{(?P<braced>[+-]?\d{1,5})\}|(?P<bare>\d))")
_FRACTION = re.compile(
    r"(?P<sign>[+-]?) ?(?:(?P<whole>\d+)(?: |(?= ?\\frac)) ?)?"
    r"(?:\\frac ?(?:\{ ?(?P<num_sign>-?)(?P<num>\d+) ?\}|(?P<num1>\d))"
    r" ?(?:\{ ?(?P<den_sign>-?)(?P<den>\d+) ?\}|(?P<den1>\d))"
    r"|(?P<top>\d+) ?/ ?(?P<bottom>\d+))(?P<percent> ?%)?"
)
_REPEATING = re.compile(
    r"(?P<sign>[+-]?)(?P<whole>\d*)\.(?P<fixed>\d*)(?:\\(?:overline|bar|dot)(?:\{(?P<over>\d+)\}|(?P<over1>\d))|\((?P<round>\d+)\))"
)


def read_number(text: str) -> Fraction | None:
    r"""The rational that `text` (in the dialect of `plain`) writes out, or `None` when it is no such numeral.

    >>> read_number("1,200"), read_number("28%"), read_number("3 1/2"), read_number(r"0.\overline{3}")
    (Fraction(1200, 1), Fraction(7, 25), Fraction(7, 2), Fraction(1, 3))
    """
    if _SIMPLE.fullmatch(text):
        return Fraction(int(text.replace(" ", "")))
    if not text or len(text) > MAX_DIGITS or not any(c.isdigit() for c in text[:80]):
        return None
    return _decimal(text) or _scientific(text) or _fraction(text) or _repeating(text) or _zero(text)


def _zero(text: str) -> Fraction | None:
    """Zero, which the truth tests above pass over."""
    found = (_decimal(text), _scientific(text), _fraction(text), _repeating(text))
    return next((value for value in found if value is not None), None)


def _decimal(text: str) -> Fraction | None:
    match = _DECIMAL.fullmatch(text)
    if match is None or not (match["whole"] or match["part"]):
        return None
    whole = (match["whole"] or "0").replace(",", "").replace(" ", "")
    part = match["part"] or ""
    scale = len(part) + (2 if match["percent"] else 0)
    value = Fraction(int(whole + part), 10**scale)
    return -value if match["sign"] == "-" else value


def _scientific(text: str) -> Fraction | None:
    match = _SCIENTIFIC.fullmatch(text)
    if match is not None:
        exponent = int(match["e"] or match["braced"] or match["bare"])
        return Fraction(match["mantissa"]) * Fraction(10) ** exponent if abs(exponent) <= MAX_DIGITS else None
    match = _POWER_OF_TEN.fullmatch(text)
    if match is None:
        return None
    exponent = int(match["braced"] or match["bare"])
    if abs(exponent) > MAX_DIGITS:
        return None
    value = Fraction(10) ** exponent
    return -value if match["sign"] == "-" else value


def _fraction(text: str) -> Fraction | None:
    match = _FRACTION.fullmatch(text)
    if match is None:
        return None
    top = int(match["num"] or match["num1"] or match["top"])
    bottom = int(match["den"] or match["den1"] or match["bottom"])
    if bottom == 0:
        return None
    value = Fraction(top, bottom)
    inner_signs = (match["num_sign"] == "-") + (match["den_sign"] == "-")
    if match["whole"]:
        if inner_signs or value >= 1:
            return None
        value += int(match["whole"])
    if match["percent"]:
        value /= 100
    return -value if (inner_signs + (match["sign"] == "-")) % 2 else value


def _repeating(text: str) -> Fraction | None:
    match = _REPEATING.fullmatch(text)
    if match is None:
        return None
    block = match["over"] or match["over1"] or match["round"]
    fixed = match["fixed"]
    head = Fraction(int((match["whole"] or "0") + fixed), 10 ** len(fixed))
    value = head + Fraction(int(block), (10 ** len(block) - 1) * 10 ** len(fixed))
    return -value if match["sign"] == "-" else value
