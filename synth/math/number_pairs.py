"""Makers of pairs of numbers, structures and intervals."""

from __future__ import annotations

import random
from fractions import Fraction

from synth.math.makers import maker


def grouped(value: int) -> str:
    """An integer with thousands separators."""
    return f"{value:,}"


def spell_integer(value: int, rng: random.Random) -> str:
    """One of the ways to write an integer."""
    forms = [str(value), f"${value}$", f"{value}.0", f"\\boxed{{{value}}}", f"\\({value}\\)", f"{value}."]
    if abs(value) >= 1000:
        forms += [grouped(value), grouped(value).replace(",", "{,}"), grouped(value).replace(",", "\\,")]
    if value >= 0:
        forms += [f"00{value}", f"+{value}", f"\\text{{{value}}}", f"{value}\\text{{ apples}}"]
    return rng.choice(forms)


def spell_rational(value: Fraction, rng: random.Random) -> str:
    """One of the ways to write a rational."""
    p, q = value.numerator, value.denominator
    sign, top = ("-" if p < 0 else ""), abs(p)
    k = rng.randint(1, 5)
    forms = [f"{p}/{q}", f"{sign}\\frac{{{top}}}{{{q}}}", f"$\\dfrac{{{p * k}}}{{{q * k}}}$", f"\\boxed{{{p}/{q}}}"]
    if top < 10 and q < 10:
        forms.append(f"{sign}\\frac{top}{q}" if top > 9 else f"{sign}\\frac {top} {q}")
    if top > q > 1:
        forms += [f"{sign}{top // q}\\frac{{{top % q}}}{{{q}}}", f"{sign}{top // q} {top % q}/{q}"]
    forms.append(repeating(value))
    if 10**6 % q == 0:
        forms.append(f"{repeating(value * 100)}\\%")
    return rng.choice(forms)


def repeating(value: Fraction) -> str:
    r"""The decimal expansion, its period under a bar.

    >>> repeating(Fraction(1, 6)), repeating(Fraction(-3, 4))
    ('0.1\\overline{6}', '-0.75')
    """
    sign = "-" if value < 0 else ""
    whole, rest = divmod(abs(value.numerator), value.denominator)
    digits, seen = "", dict[int, int]()
    while rest and rest not in seen and len(digits) < 400:
        seen[rest] = len(digits)
        digit, rest = divmod(rest * 10, value.denominator)
        digits += str(digit)
    if not rest:
        return f"{sign}{whole}.{digits}" if digits else f"{sign}{whole}"
    start = seen[rest]
    return f"{sign}{whole}.{digits[:start]}\\overline{{{digits[start:]}}}"


def _rational(rng: random.Random) -> Fraction:
    return Fraction(rng.randint(-60, 60), rng.choice([1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 12, 25, 40]))


@maker
def integers(rng: random.Random) -> tuple[str, str, bool]:
    """Separators, leading zeros, signs; wrong ones are a digit, a sign or a factor of ten off."""
    value = rng.choice([rng.randint(-50, 50), rng.randint(1000, 10**9), -rng.randint(1000, 10**6)])
    other = rng.choice([value, value + 1, -value, value * 10, value + rng.choice([-100, 1000])])
    return spell_integer(value, rng), spell_integer(other, rng), other == value


@maker
def rationals(rng: random.Random) -> tuple[str, str, bool]:
    """Fractions, mixed numbers, repeating decimals, percent."""
    value = _rational(rng)
    other = rng.choice([value, value, -value, value + Fraction(1, 7), 1 / value if value else value])
    return spell_rational(value, rng), spell_rational(other, rng), other == value


@maker
def roundings(rng: random.Random) -> tuple[str, str, bool]:
    """A rounded decimal is not the rational that it approximates."""
    value = Fraction(rng.randint(1, 200), rng.choice([3, 7, 9, 11, 13, 17]))
    digits = rng.randint(2, 14)
    scaled = round(value * 10**digits)
    text = f"{scaled // 10**digits}.{scaled % 10**digits:0{digits}d}"
    return f"\\frac{{{value.numerator}}}{{{value.denominator}}}", text, Fraction(scaled, 10**digits) == value


@maker
def tiny(rng: random.Random) -> tuple[str, str, bool]:
    """Tiny numbers that agree to many decimals."""
    n, k = rng.randint(12, 99), rng.choice([2, 3, 10])
    m = n + rng.choice([0, 1, -1])
    left = rng.choice([f"\\frac{{1}}{{{k}^{{{n}}}}}", f"{k}^{{-{n}}}", f"1/{k}^{{{n}}}"])
    right = rng.choice([f"\\frac1{{{k}^{{{m}}}}}", f"{k}^{{-{m}}}"])
    return left, right, n == m


@maker
def scientific(rng: random.Random) -> tuple[str, str, bool]:
    """Scientific notation against plain numerals."""
    mantissa, exponent = rng.randint(11, 99), rng.randint(-6, 9)
    off = rng.choice([0, 0, 1, -1])
    value = Fraction(mantissa, 10) * Fraction(10) ** (exponent + off)
    text = rng.choice(["{m}\\times 10^{{{e}}}", "{m}e{e}", "{m}*10^{{{e}}}", "{m} \\cdot 10^{{{e}}}"])
    return text.format(m=mantissa / 10, e=exponent), repeating(value), off == 0


@maker
def structures(rng: random.Random) -> tuple[str, str, bool]:
    """Tuples, sets and lists: order matters in tuples only, and a tuple is no set."""
    items = [spell_plain(value) for value in rng.sample(range(-9, 10), rng.randint(2, 4))]
    shuffled = rng.sample(items, len(items))
    wrong = [*items[:-1], spell_plain(int(items[-1]) + 20)]
    kind, other = rng.choice(["()", "\\{\\}"]), rng.choice(["()", "\\{\\}"])
    answer = rng.choice([items, shuffled, wrong])
    equal = kind == other and (answer == items if kind == "()" else sorted(answer) == sorted(items))
    return _enclosed(items, kind), _enclosed(answer, other), equal


def _enclosed(items: list[str], kind: str) -> str:
    half = len(kind) // 2
    return f"{kind[:half]}{', '.join(items)}{kind[half:]}"


def spell_plain(value: int) -> str:
    """An integer as digits."""
    return str(value)


@maker
def intervals(rng: random.Random) -> tuple[str, str, bool]:
    """Brackets matter; an inequality says the same as its interval."""
    low = rng.randint(-9, 5)
    high = low + rng.randint(1, 9)
    ends = rng.choice(["()", "[]", "[)", "(]"])
    other = rng.choice([ends, rng.choice(["()", "[]", "[)", "(]"])])
    top = high + rng.choice([0, 0, 1])
    sign = {"(": "<", ")": "<", "[": "\\le", "]": "\\le"}
    answer = rng.choice(
        [f"{other[0]}{low}, {top}{other[1]}", f"{low} {sign[other[0]]} x {sign[other[1]]} {top}",
         f"x\\in{other[0]}{low},{top}{other[1]}"]
    )  # fmt: skip
    return f"{ends[0]}{low},{high}{ends[1]}", answer, ends == other and top == high
