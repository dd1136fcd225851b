"""The exact rational value of a tree, when it has one, within a bound on its size."""

from __future__ import annotations

import math
from fractions import Fraction

from synth.math.equality import MathError
from synth.math.tokens import TooCostly
from synth.math.tree import Node

LIMIT_BITS = 8000
"""Size of numerator and denominator that is computed in the caller's process."""
WORKER_BITS = 20_000_000
"""Size that a worker computes; its CPU clock bounds the rest."""


class Undefined(MathError):
    """The expression divides by zero or is otherwise without a value."""


def rational(node: Node, bits: int = LIMIT_BITS) -> Fraction | None:
    """The rational that `node` is, or `None` when it is not plainly one (variables, roots, constants).

    Raises `TooCostly` when numerator or denominator would pass `bits` bits, `Undefined` for division by zero.

    >>> from synth.math.parser import parse
    >>> rational(parse("2^3/6!+1"))
    Fraction(91, 90)
    """
    op, args = node.op, node.args
    if op == "num":
        return args[0] if isinstance(args[0], Fraction) else None
    if op in ("add", "mul"):
        return _folded(node, bits)
    if op == "pow":
        base, exponent = (rational(arg, bits) if isinstance(arg, Node) else None for arg in args)
        return None if base is None or exponent is None else power(base, exponent, bits)
    if op == "fn":
        values = [rational(arg, bits) if isinstance(arg, Node) else None for arg in args[1:]]
        known = [value for value in values if value is not None]
        return _function(str(args[0]), known, bits) if len(known) == len(values) else None
    return None


def _folded(node: Node, bits: int) -> Fraction | None:
    total = Fraction(0) if node.op == "add" else Fraction(1)
    decided = True
    for arg in node.args:
        value = rational(arg, bits) if isinstance(arg, Node) else None
        if value is None:
            decided = False
            continue
        total = total + value if node.op == "add" else total * value
        if total.numerator.bit_length() > bits or total.denominator.bit_length() > bits:
            raise TooCostly(f"a number of more than {bits} bits")
    return total if decided else None


def power(base: Fraction, exponent: Fraction, bits: int = LIMIT_BITS) -> Fraction | None:
    """`base ** exponent` when that is rational: integer exponents, and exact roots of non-negative bases."""
    if base == 0 and exponent <= 0:
        raise Undefined("0 to a power that is not positive")
    if base in (0, 1):
        return base
    if exponent.denominator != 1:
        if base < 0 or exponent.denominator > 64:
            return None
        roots = [exact_root(part, exponent.denominator) for part in (base.numerator, base.denominator)]
        if roots[0] is None or roots[1] is None:
            return None
        return power(Fraction(roots[0], roots[1]), Fraction(exponent.numerator), bits)
    n = exponent.numerator
    if base == -1:
        return Fraction(-1 if n % 2 else 1)
    size = max(base.numerator.bit_length(), base.denominator.bit_length())
    if size * abs(n) > bits:
        raise TooCostly(f"a power of more than {bits} bits")
    return base**n


def exact_root(value: int, n: int) -> int | None:
    """The integer whose `n`-th power is `value` (>= 0), or `None`.

    >>> exact_root(27, 3), exact_root(28, 3)
    (3, None)
    """
    if value < 2 or n == 1:
        return value
    if n == 2:
        root = math.isqrt(value)
        return root if root * root == value else None
    low, high = 1, 1 << (value.bit_length() // n + 1)
    while low < high:
        middle = (low + high) // 2
        low, high = (middle + 1, high) if middle**n < value else (low, middle)
    return low if low**n == value else None


def _function(name: str, values: list[Fraction], bits: int) -> Fraction | None:
    first = values[0]
    whole = all(value.denominator == 1 for value in values)
    if name == "abs":
        return abs(first)
    if name == "floor":
        return Fraction(math.floor(first))
    if name == "ceiling":
        return Fraction(math.ceil(first))
    if name == "factorial":
        if not whole or first < 0:
            raise Undefined("factorial of what is not a natural number")
        if int(first).bit_length() > 40 or int(first) * int(first).bit_length() > bits:
            raise TooCostly(f"a factorial of more than {bits} bits")
        return Fraction(math.factorial(int(first)))
    if name in ("gcd", "lcm") and whole:
        return Fraction((math.gcd if name == "gcd" else math.lcm)(*map(int, values)))
    if name == "binomial" and whole and len(values) == 2:
        n, k = int(values[0]), int(values[1])
        if n < 0 or k < 0:
            return None
        if n.bit_length() * min(k, max(n - k, 0)) > bits:
            raise TooCostly(f"a binomial of more than {bits} bits")
        return Fraction(math.comb(n, k))
    return None
