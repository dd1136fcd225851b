"""Golds, prepared and validated once: a text, its declared kind and what it was read as."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Literal, get_args

from synth.math.equality import MathError
from synth.math.forms import named, relation
from synth.math.numbers import read_number
from synth.math.parser import parse
from synth.math.plain import plain
from synth.math.quotients import Quotients
from synth.math.tokens import TooCostly
from synth.math.tree import Node, children, has
from synth.math.units import split_unit
from synth.math.value import Undefined, rational
from synth.math.words import alone, choice, is_choice, is_words, words

AnswerKind = Literal[
    "integer", "rational", "decimal", "expression", "set", "tuple", "interval", "equation", "choice", "text"
]
"""What an answer is; decides how it is read and compared."""

KINDS: frozenset[str] = frozenset(get_args(AnswerKind))
NUMERIC = frozenset({"integer", "rational", "decimal"})
MAX_CALCULUS = 500
"""Characters of a text that is handed to latex2sympy."""
_CALCULUS = re.compile(r"\\(?:int|sum|prod|lim|iint|oint)(?![a-zA-Z])")
_SHAPES = {
    "set": ("set", "list"),
    "tuple": ("tuple", "list", "matrix"),
    "interval": ("interval", "union", "tuple", "rel", "set"),
    "equation": ("rel", "list"),
}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a text was read as: a number, or a tree, and the unit behind it."""

    plain: str
    number: Fraction | None = None
    unit: str | None = None
    node: Node | None = None
    trouble: MathError | None = None

    @property
    def calculus(self) -> bool:
        """Whether the text has what only latex2sympy reads: integrals, sums, products, limits."""
        return self.trouble is not None and len(self.plain) <= MAX_CALCULUS and bool(_CALCULUS.search(self.plain))


@dataclass(frozen=True, slots=True)
class Gold:
    """A right answer, read once.

    `invalid` says why the text cannot be a gold of its kind; such a gold judges nothing. `declared` is false for an
    inferred kind. `tolerance` is the largest absolute difference that still counts as equal, between numbers only.
    """

    text: str
    kind: str
    reading: Reading
    declared: bool = True
    tolerance: Fraction | None = None
    invalid: str | None = None


def read(text: str) -> Reading:
    """The reading of a gold or an answer as mathematics; what cannot be read leaves `trouble`."""
    stripped = plain(text)
    if stripped.startswith("\\"):
        stripped = alone(stripped)
    number = read_number(stripped)
    if number is not None:
        return Reading(stripped, number)
    measured = split_unit(stripped)
    if measured is not None:
        number = read_number(measured.value)
        if number is not None:
            return Reading(stripped, number * measured.factor, measured.unit)
    try:
        if measured is not None and measured.factor == 1 and "\\" in measured.value and measured.unit != "degree":
            return Reading(stripped, None, measured.unit, parse(measured.value))
        return Reading(stripped, None, None, parse(stripped))
    except MathError as trouble:
        return Reading(stripped, trouble=trouble)


@lru_cache(maxsize=65_536)
def prepare_gold(text: str, kind: str | None = None, *, tolerance: str | None = None) -> Gold:
    r"""The gold that `text` writes, under the declared `kind`, or the kind inferred from it; never raises.

    `tolerance` is a decimal numeral, e.g. `"0.01"`. An unreadable text gives a `Gold` with `invalid` set.

    >>> prepare_gold(r"\frac{3}{4}").kind, prepare_gold("1/0").invalid
    ('rational', 'division by zero')
    """
    inner = text
    if "\\boxed" in text or "\\fbox" in text:
        from synth.math.extraction import extract

        inner = extract(text).answer or ""
    declared = kind is not None
    if kind == "text" or (kind is None and is_words(plain(inner)) and not _is_name(plain(inner))):
        invalid = None if words(inner) or inner.strip() else "empty"
        return Gold(text, "text", Reading(plain(inner)), declared, None, invalid)
    if kind == "choice" or (kind is None and is_choice(plain(inner))):
        letter = choice(plain(inner))
        return Gold(
            text, "choice", Reading(letter or ""), declared, None, None if letter else f"not a letter: {text[:80]}"
        )
    reading = read(inner)
    try:
        allowed = None if tolerance is None else Fraction(tolerance)
    except (ValueError, ZeroDivisionError):
        return Gold(text, kind or "decimal", reading, declared, None, f"tolerance {tolerance!r} is not a number")
    inferred = kind or _inferred(reading)
    invalid = _trouble(reading, inferred, text)
    if kind is None and invalid and alone(plain(inner)) != plain(inner):
        return Gold(text, "text", Reading(plain(inner)), declared)
    return Gold(text, inferred, _evaluated(reading), declared, allowed, invalid)


def _is_name(text: str) -> bool:
    return text in ("pi", "oo", "infinity") or (len(text) <= 3 and set(text) <= set("abcxyz"))


def _evaluated(reading: Reading) -> Reading:
    """The reading with its exact value, where a tree of numerals has one."""
    if reading.node is None:
        return reading
    try:
        value = rational(reading.node)
    except (MathError, RecursionError):
        return reading
    return Reading(reading.plain, value, reading.unit, reading.node)


def _inferred(reading: Reading) -> str:
    if reading.number is not None:
        if "." in reading.plain and "/" not in reading.plain:
            return "decimal"
        return "integer" if reading.number.denominator == 1 else "rational"
    if reading.node is None:
        return "expression"
    shape = {"list": "set", "set": "set", "tuple": "tuple", "matrix": "tuple", "interval": "interval"}
    if reading.node.op == "rel":
        return "equation" if set(str(reading.node.args[0]).split()) == {"="} else "interval"
    if reading.node.op == "union":
        return "interval"
    evaluated = _evaluated(reading).number
    if evaluated is not None:
        return "integer" if evaluated.denominator == 1 else "rational"
    return shape.get(reading.node.op, "expression")


def _trouble(reading: Reading, kind: str, text: str) -> str | None:
    """Why the reading is no gold of this kind."""
    if kind not in KINDS:
        return f"kind {kind!r}; allowed: {', '.join(sorted(KINDS))}"
    if not reading.plain:
        return "empty"
    if reading.calculus and kind == "expression":
        return None
    if reading.trouble is not None:
        return f"not readable: {reading.trouble}"
    value = reading.number
    if reading.node is not None:
        try:
            _visit(reading.node)
            value = rational(reading.node)
        except Undefined as undefined:
            return str(undefined)
        except RecursionError:
            return "nested too deep"
        except TooCostly:
            if kind in NUMERIC:
                return f"too large to be a gold: {text[:80]}"
    if kind in NUMERIC and value is None and not _named_number(reading.node):
        return f"not a number: {text[:80]}"
    if kind == "integer" and value is not None and value.denominator != 1:
        return f"not an integer: {text[:80]}"
    if kind in _SHAPES and (reading.node is None or reading.node.op not in _SHAPES[kind]):
        return f"not of kind {kind}: {text[:80]}"
    return None


def _named_number(node: Node | None) -> bool:
    said = None if node is None else named(node)
    try:
        return said is not None and rational(said.value) is not None
    except MathError:
        return False


def _visit(node: Node) -> None:
    """Raises `Undefined` for a division by zero, a word among symbols, or an equation that says nothing."""
    if has(node, "word") and node.op != "word" and named(node) is None:
        raise Undefined("words among symbols")
    if node.op in ("list", "set", "tuple", "matrix", "interval", "union"):
        for child in children(node):
            _visit(child)
        return
    chain = relation(node)
    sides = [node] if chain is None else chain[1]
    if all(not any(has(side, op) for op in ("list", "set", "tuple", "interval", "union")) for side in sides):
        forms, quotients = [], Quotients()
        for side in sides:
            try:
                forms.append(quotients.form(side))
            except (TooCostly, RecursionError):
                return
        if chain is not None and set(chain[0]) == {"="} and len(sides) == 2:
            if quotients.equal(forms[0], forms[1]):
                raise Undefined("an equation that is always true")
            if not any(has(side, "sym") or has(side, "word") or has(side, "fn") for side in sides):
                raise Undefined("an equation that is never true")
