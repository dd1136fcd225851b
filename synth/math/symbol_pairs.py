"""Makers of pairs of expressions, equations, units and completions."""

from __future__ import annotations

import random

from synth.math.makers import maker
from synth.math.number_pairs import spell_integer

_IDENTITIES = (
    ("\\sin^2({u})+\\cos^2({u})", "1"), ("\\sec^2({u})", "\\tan^2({u})+1"), ("\\sin(2({u}))", "2\\sin({u})\\cos({u})"),
    ("\\cos(2({u}))", "1-2\\sin^2({u})"), ("\\frac{{\\sin({u})}}{{\\cos({u})}}", "\\tan({u})"),
    ("e^{{2({u})}}", "(e^{{{u}}})^2"), ("\\sqrt{{({u})^2}}", "|{u}|"), ("|{u}|", "|-({u})|"),
)  # fmt: skip
_FALSE = (
    ("\\sin({u})", "\\cos({u})"), ("|{u}|", "{u}"), ("\\sqrt{{({u})^2}}", "{u}"), ("\\sec^2({u})", "\\tan^2({u})-1"),
    ("\\sin(2({u}))", "2\\sin({u})"), ("e^{{2({u})}}", "2e^{{{u}}}"), ("\\tan({u})", "\\cot({u})"),
)  # fmt: skip


@maker
def polynomials(rng: random.Random) -> tuple[str, str, bool]:
    """A product of linear factors against its expansion, by exact convolution of coefficients."""
    roots = [rng.randint(-6, 6) for _ in range(rng.randint(2, 4))]
    coefficients = [1]
    for root in roots:
        shifted = [*coefficients, 0]
        for place, coefficient in enumerate(coefficients):
            shifted[place + 1] -= root * coefficient
        coefficients = shifted
    off = rng.choice([0, 0, 1, -1])
    coefficients[rng.randrange(len(coefficients))] += off
    return "".join(f"(x{-root:+d})" for root in roots), expanded(coefficients, rng), off == 0


def expanded(coefficients: list[int], rng: random.Random) -> str:
    """A polynomial in `x` from its coefficients, highest first, its terms in random order."""
    degree = len(coefficients) - 1
    terms = [f"{c:+d}x^{{{degree - i}}}" for i, c in enumerate(coefficients) if c]
    rng.shuffle(terms)
    return "".join(terms).lstrip("+") or "0"


@maker
def fractions_of_polynomials(rng: random.Random) -> tuple[str, str, bool]:
    """`a/(x-b) + c/(x-d)` against one fraction."""
    a, b, c, d = (rng.randint(1, 9) for _ in range(4))
    off = rng.choice([0, 0, 1])
    top = f"{a + c}x-{a * d + b * c + off}"
    return f"\\frac{{{a}}}{{x-{b}}}+\\frac{{{c}}}{{x-{d}}}", f"\\frac{{{top}}}{{(x-{b})(x-{d})}}", off == 0


@maker
def radicals(rng: random.Random) -> tuple[str, str, bool]:
    """`sqrt(a^2 b)` against `a sqrt(b)`, and rationalised denominators."""
    a, b = rng.randint(2, 12), rng.choice([2, 3, 5, 6, 7, 10, 11])
    c = a + rng.choice([0, 0, 1])
    forms = [
        (f"\\sqrt{{{a * a * b}}}", f"{c}\\sqrt{{{b}}}"),
        (f"\\frac{{{a}}}{{\\sqrt{{{b}}}}}", f"\\frac{{{c}\\sqrt{{{b}}}}}{{{b}}}"),
    ]
    gold, answer = rng.choice(forms)
    return gold, answer, a == c


@maker
def identities(rng: random.Random) -> tuple[str, str, bool]:
    """Identities of functions, and look-alikes that are none."""
    u = rng.choice(["x", "y", "2x", "x+1", "t", "3\\theta"])
    true = rng.random() < 0.5
    left, right = rng.choice(_IDENTITIES if true else _FALSE)
    left, right = left.format(u=u), right.format(u=u)
    return (left, right, true) if rng.random() < 0.5 else (right, left, true)


@maker
def equations(rng: random.Random) -> tuple[str, str, bool]:
    """A line, or a conic, and a multiple of it; wrong ones have one coefficient changed."""
    a, b, c = rng.randint(1, 9), rng.randint(1, 9), rng.randint(1, 30)
    k, off = rng.choice([1, 2, 3, -1]), rng.choice([0, 0, 1])
    power = rng.choice(["", "^2"])
    gold = f"{a}x{power}+{b}y{power}={c}"
    answer = rng.choice(
        [
            f"{a * k}x{power}{b * k:+d}y{power}{-(c + off) * k:+d}=0",
            f"{(c + off) * k}={b * k}y{power}{a * k:+d}x{power}",
        ]
    )
    return gold, answer, off == 0


@maker
def bases(rng: random.Random) -> tuple[str, str, bool]:
    """Subscripts of number bases."""
    digits = "1" + "".join(rng.choice("01") for _ in range(rng.randint(2, 6)))
    base, other = rng.choice([2, 3, 8]), rng.choice([2, 3, 8, 10])
    answer = rng.choice([f"{digits}_{{{other}}}", f"{digits}_{other}" if other < 10 else digits, digits])
    return f"{digits}_{base}", answer, f"_{{{base}}}" in answer or answer.endswith(f"_{base}")


@maker
def units(rng: random.Random) -> tuple[str, str, bool]:
    """A missing unit is allowed, another unit is not."""
    value = rng.randint(2, 90)
    unit, other = rng.sample(["cm", "m", "kg", "hours", "minutes", "feet", "inches", "dollars"], 2)
    answer, equal = rng.choice(
        [(f"{value}", True), (f"{value} {unit}", True), (f"{value}\\text{{ {unit}}}", True),
         (f"{value} {other}", False), (f"{value + 1} {unit}", False), (f"{value}\\mathrm{{ {other}}}", False)]
    )  # fmt: skip
    return f"{value}\\text{{ {unit}}}", answer, equal


@maker
def corrections(rng: random.Random) -> tuple[str, str, bool]:
    """A box, then a correction; alternatives and guesses are no answer."""
    value, other = rng.sample(range(2, 99), 2)
    completion, equal = rng.choice(
        [(f"so \\boxed{{{other}}}. Wait, that is wrong: \\boxed{{{value}}}", True),
         (f"\\boxed{{{value}}}\n\nOn reflection the total is different.\n\n\\boxed{{{other}}}", False),
         (f"Either \\boxed{{{other}}} or \\boxed{{{value}}}", False),
         (f"\\boxed{{{other}}}, \\boxed{{{value}}}", False),
         (f"It is \\boxed{{{value}}}, or maybe \\boxed{{{other}}}", False),
         (f"\\boxed{{{value}, {other}}}", False), (f"\\boxed{{{value} \\text{{ or }} {other}}}", False),
         (f"<think>maybe \\boxed{{{value}}}", False), (f"<think>no \\boxed{{{other}}}</think>\\boxed{{{value}}}", True),
         (f"\\boxed{{\\frac{{{value * 2}}}{{2}}}}", True), (f"We get\n#### {value}", True)]
    )  # fmt: skip
    return str(value), completion, equal


@maker
def assignments(rng: random.Random) -> tuple[str, str, bool]:
    """`x = 5` says 5; `2x = 5` and `y = 5` against `x = 5` do not."""
    value = rng.randint(2, 60)
    gold, answer, equal = rng.choice(
        [(f"x={value}", f"{value}", True), (f"{value}", f"x={value}", True), (f"x={value}", f"y={value}", False),
         (f"{value}", f"2x={value}", False), (f"x={value}", f"2x={2 * value}", True),
         (f"{value}", f"{value + 1}={value}", False), (f"{value}", f"x={value + 1}", False)]
    )  # fmt: skip
    return gold, answer, equal


@maker
def words_and_choices(rng: random.Random) -> tuple[str, str, bool]:
    """Letters of a choice and words; anagrams are different words."""
    gold, answer, equal = rng.choice(
        [("B", "(B)", True), ("B", "\\text{B}", True), ("B", "C", False), ("\\text{(C)}", "C", True),
         ("A", "D.", False), ("\\text{Yes}", "yes", True), ("yes", "no", False), ("listen", "silent", False),
         ("Tuesday", "\\text{tuesday}", True), ("even", "odd", False)]
    )  # fmt: skip
    return gold, answer, equal


@maker
def more_integers(rng: random.Random) -> tuple[str, str, bool]:
    """Products, powers and factorials of numerals."""
    a, b = rng.randint(2, 12), rng.randint(2, 9)
    off = rng.choice([0, 0, 1])
    text, value = rng.choice(
        [(f"{a}^{{{b}}}", a**b), (f"{a}\\cdot {b}", a * b), (f"{a}\\times {b}+1", a * b + 1),
         (f"({a}+{b})^2", (a + b) ** 2), (f"{b}!", _factorial(b)), (f"\\binom{{{a}}}{{2}}", a * (a - 1) // 2)]
    )  # fmt: skip
    return text, spell_integer(value + off, rng), off == 0


def _factorial(n: int) -> int:
    product = 1
    for factor in range(2, n + 1):
        product *= factor
    return product
