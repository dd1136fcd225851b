r"""Units behind a number: `5\text{ cm}`, `72 clips`, `30^\circ`, `28 percent`, `3 million`."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import NamedTuple

_WRAPPED = re.compile(
    r"(?P<value>.*\S)\s*\\(?:text|textbf|textrm|mathrm|mbox|rm)\s*\{(?P<unit>[^{}\\]*)\}(?P<power>\^\{?[23]\}?)?"
)
_CIRCLE = re.compile(r"(?P<value>.*\S)\s*\^\s*\{?\s*\\circ\s*\}?\s*(?P<scale>[CFK])?")
_WORDS = re.compile(r"(?P<value>[-+]?[\d.,/ ]*\d)(?P<gap> ?)(?P<unit>[A-Za-z][A-Za-z./ -]*)(?P<power>\^\{?[23]\}?)?")

_KNOWN = {
    "m": "meter metre meters metres", "cm": "centimeter centimetre", "mm": "millimeter millimetre",
    "km": "kilometer kilometre", "in": "inch inches", "ft": "foot feet", "yd": "yard", "mi": "mile",
    "g": "gram", "kg": "kilogram kilo kgs", "mg": "milligram", "lb": "pound lbs", "oz": "ounce",
    "s": "second sec secs", "min": "minute mins", "h": "hour hr hrs", "day": "days", "week": "wk", "month": "months",
    "year": "yr yrs", "l": "liter litre", "ml": "milliliter millilitre", "gal": "gallon", "dollar": "usd buck",
    "cent": "cents", "degree": "deg", "radian": "rad", "mph": "miles per hour", "n": "newton", "j": "joule",
    "w": "watt", "pa": "pascal", "hz": "hertz", "v": "volt", "c": "celsius", "f": "fahrenheit", "k": "kelvin",
    "unit": "units",
}  # fmt: skip
_ALIASES = {alias: unit for unit, names in _KNOWN.items() for alias in [unit, *names.split()]}
_FACTORS = {
    "percent": Fraction(1, 100), "percentage": Fraction(1, 100), "pct": Fraction(1, 100), "hundred": Fraction(100),
    "dozen": Fraction(12), "thousand": Fraction(1000), "million": Fraction(10**6), "billion": Fraction(10**9),
    "trillion": Fraction(10**12),
}  # fmt: skip
_OPERATIVE = frozenset(
    [
        "over",
        "squared",
        "cubed",
        "plus",
        "minus",
        "times",
        "divided",
        "mod",
        "modulo",
        "more",
        "less",
        "fewer",
        "than",
        "of",
        "to",
        "from",
        "or",
        "and",
        "not",
        "half",
        "halves",
        "third",
        "thirds",
        "quarter",
        "quarters",
        "fourth",
        "fifths",
        "approximately",
        "about",
        "around",
        "is",
        "if",
        "factorial",
        "nor",
        "by",
        "per-cent",
        "point",
        "base",
        "choose",
        "through",
        "until",
        "between",
        "either",
        "maybe",
        "no",
        "remainder",
        "with",
        "rem",
        "score",
        "pair",
        "pairs",
        "power",
        "root",
        "e",
        "x",
        "pi",
    ]
)


class Measured(NamedTuple):
    """What stands before the unit, the unit in one spelling, and the factor that a number word stands for."""

    value: str
    unit: str | None
    factor: Fraction


def split_unit(text: str) -> Measured | None:
    r"""`text` (in the dialect of `plain`) cut before its unit, or `None` when it ends in none.

    >>> split_unit(r"5\text{ square feet}")[:2], split_unit("30^\\circ")[:2], split_unit("7 or 8")
    (('5', 'ft^2'), ('30', 'degree'), None)
    """
    match = _CIRCLE.fullmatch(text)
    if match:
        scale = match["scale"]
        return Measured(match["value"], "degree" if scale is None else f"degree {scale}", Fraction(1))
    match = _WRAPPED.fullmatch(text)
    if match is None:
        match = _WORDS.fullmatch(text)
        if match is None or (not match["gap"] and len(match["unit"]) < 2):
            return None
    words = [word for word in re.split(r"[ .]+", match["unit"].strip()) if word]
    factor = Fraction(1)
    while words and words[0].casefold() in _FACTORS:
        factor *= _FACTORS[words.pop(0).casefold()]
    if any(word.casefold() in _OPERATIVE for word in words) or len(words) > 4:
        return None
    unit = _spelled([word.casefold() for word in words], (match["power"] or "").strip("^{}"))
    if unit is not None and len(unit) == 1 and unit not in _KNOWN:
        return None
    return Measured(match["value"].strip(), unit, factor)


def _spelled(words: list[str], power: str) -> str | None:
    if words and words[0] in ("square", "sq", "cubic", "cu"):
        power = "2" if words[0].startswith("sq") else "3"
        words = words[1:]
    if not words:
        return f"unit^{power}" if power else None
    single = [_ALIASES.get(word, _ALIASES.get(word.removesuffix("s"), word.removesuffix("s"))) for word in words]
    joined = " ".join(single)
    if joined.startswith("degree ") or joined.endswith(" degree"):
        joined = "degree " + joined.replace("degree", "").strip().upper()
    return f"{joined}^{power}" if power else joined


def known(unit: str) -> bool:
    """Whether `unit` is one that the table knows, so that another one is surely different."""
    return unit.split("^")[0] in _KNOWN


def compatible(gold: str | None, answer: str | None) -> bool | None:
    """Whether an answer's unit goes with the gold's: a missing one does, another known one does not, else `None`."""
    if gold is None or answer is None or gold == answer:
        return True
    return False if known(gold) and known(answer) else None
