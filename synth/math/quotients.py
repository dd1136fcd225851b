"""Rational functions in canonical form: the exact tier for expressions, with no computer algebra system.

An expression becomes a quotient of two polynomials with rational coefficients over atoms. An atom is a variable, or
something left uninterpreted (a root, a function of a canonical argument). Two quotients are compared by cross
multiplication, which is an identity of polynomials: over variables alone it decides both ways; with uninterpreted
atoms equal forms are equal and unequal forms say nothing.
"""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple, TypeAlias

from synth.math.tokens import TooCostly
from synth.math.tree import Node, children
from synth.math.value import Undefined, exact_root

MAX_TERMS = 300
MAX_DEGREE = 64
MAX_BITS = 4000
MAX_WORK = 40_000
"""Products of two terms that one comparison may take."""

Monomial: TypeAlias = tuple[tuple[int, int], ...]
Polynomial: TypeAlias = dict[Monomial, Fraction]
Key: TypeAlias = tuple[object, ...]


class Quotient(NamedTuple):
    """`top / bottom`; `plain` when every atom is a variable."""

    top: Polynomial
    bottom: Polynomial
    plain: bool


ONE: Polynomial = {(): Fraction(1)}
_PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47)


class Quotients:
    """Makes canonical forms that can be compared with each other: atoms are numbered as they are met."""

    def __init__(self) -> None:
        self._atoms: dict[Key, int] = {}
        self._roots: dict[int, tuple[Fraction, int]] = {}
        self._imaginary = -1
        self._work = 0

    def form(self, node: Node) -> Quotient:
        """The canonical form of a scalar tree; raises `TooCostly` past the bounds, `Undefined` for a zero divisor."""
        op, args = node.op, node.args
        if op == "num" and isinstance(args[0], Fraction):
            return _number(args[0])
        if op == "sym":
            return self._atom((op, args[0]), plain=True)
        parts = [self.form(child) for child in children(node)]
        if op in ("add", "mul"):
            total = parts[0]
            for part in parts[1:]:
                total = self._sum(total, part) if op == "add" else self._product(total, part)
            return total
        if op == "pow":
            return self._power(parts[0], parts[1])
        if op == "const" and args[0] == "i":
            self._imaginary = self._atoms.setdefault((op, "i"), len(self._atoms))
        names = tuple(arg for arg in args if not isinstance(arg, Node))
        return self._atom((op, *names, *map(_key, parts)), plain=False)

    def equal(self, a: Quotient, b: Quotient) -> bool | None:
        """Whether two quotients are one function: `None` when uninterpreted atoms leave that open."""
        same = self._times(a.top, b.bottom) == self._times(b.top, a.bottom)
        return True if same else (False if a.plain and b.plain else None)

    def _atom(self, key: Key, *, plain: bool) -> Quotient:
        number = self._atoms.setdefault(key, len(self._atoms))
        return Quotient({((number, 1),): Fraction(1)}, ONE, plain)

    def _sum(self, a: Quotient, b: Quotient) -> Quotient:
        if a.bottom == b.bottom:
            return Quotient(_plus(a.top, b.top), a.bottom, a.plain and b.plain)
        top = _plus(self._times(a.top, b.bottom), self._times(b.top, a.bottom))
        return Quotient(top, self._times(a.bottom, b.bottom), a.plain and b.plain)

    def _product(self, a: Quotient, b: Quotient) -> Quotient:
        return _settled(self._times(a.top, b.top), self._times(a.bottom, b.bottom), a.plain and b.plain)

    def _power(self, base: Quotient, exponent: Quotient) -> Quotient:
        n = constant(exponent)
        if n is None:
            return self._atom(("pow", _key(base), _key(exponent)), plain=False)
        if n.denominator != 1:
            return self._root(base, n)
        if n < 0:
            if not base.top:
                raise Undefined("division by zero")
            base, n = _settled(base.bottom, base.top, base.plain), -n
        if n > MAX_DEGREE:
            value = constant(base)
            if value is None or value not in (0, 1, -1):
                raise TooCostly(f"degree over {MAX_DEGREE}")
            n = 2 + n % 2
        result = Quotient(ONE, ONE, base.plain)
        for _ in range(int(n)):
            result = self._product(result, base)
        return result

    def _root(self, base: Quotient, n: Fraction) -> Quotient:
        """`base ** n` for a fractional exponent: powers come out of a positive constant, the rest is an atom."""
        value = constant(base)
        if value is None or value <= 0 or abs(n) > 8 or n.denominator > 12:
            return self._atom(("pow", _key(base), n), plain=False)
        whole, part = divmod(n, 1)
        p, q = part.numerator, part.denominator
        if max(value.numerator.bit_length(), value.denominator.bit_length()) * q * p > MAX_BITS:
            raise TooCostly("a large number under a root")
        # v^(p/q) with v = a/b is (a b^(q-1))^(p/q) / b^p, which leaves one integer under the root
        factor, rest = _extracted((value.numerator * value.denominator ** (q - 1)) ** p, q)
        outside = Fraction(factor, value.denominator**p) * value ** int(whole)
        if rest == 1:
            return _number(outside)
        number = self._atoms.setdefault(("root", rest, q), len(self._atoms))
        self._roots[number] = (Fraction(rest), q)
        return Quotient({((number, 1),): outside}, ONE, False)

    def _times(self, a: Polynomial, b: Polynomial) -> Polynomial:
        if a == ONE:
            return b
        if b == ONE:
            return a
        self._work += len(a) * len(b)
        if self._work > MAX_WORK:
            raise TooCostly("too many products of terms")
        total: Polynomial = {}
        for left, x in a.items():
            for right, y in b.items():
                monomial, factor = self._merged(left, right)
                value = total.get(monomial, 0) + x * y * factor
                if value:
                    total[monomial] = value
                else:
                    total.pop(monomial, None)
        return _bounded(total)

    def _merged(self, left: Monomial, right: Monomial) -> tuple[Monomial, Fraction | int]:
        """The product of two monomials; full powers of numeric roots and of the imaginary unit become numbers."""
        if not left:
            return right, 1
        if not right:
            return left, 1
        powers = dict(left)
        for atom, exponent in right:
            powers[atom] = powers.get(atom, 0) + exponent
        factor: Fraction | int = 1
        for atom, exponent in tuple(powers.items()):
            if exponent > MAX_DEGREE:
                raise TooCostly(f"degree over {MAX_DEGREE}")
            if atom == self._imaginary:
                powers[atom] = exponent % 2
                factor *= -1 if exponent % 4 in (2, 3) else 1
            elif atom in self._roots:
                value, q = self._roots[atom]
                powers[atom] = exponent % q
                factor *= value ** (exponent // q)
        return tuple(sorted((atom, exponent) for atom, exponent in powers.items() if exponent)), factor


def constant(form: Quotient) -> Fraction | None:
    """The number that a quotient is, or `None` when atoms remain."""
    if form.bottom == ONE and set(form.top) <= {()}:
        return form.top.get((), Fraction(0))
    return None


def _number(value: Fraction) -> Quotient:
    return Quotient({(): value} if value else {}, ONE, True)


def _key(form: Quotient) -> Key:
    return (frozenset(form.top.items()), frozenset(form.bottom.items()))


def _settled(top: Polynomial, bottom: Polynomial, plain: bool) -> Quotient:
    """A quotient whose bottom is 1 when it is constant."""
    if not bottom:
        raise Undefined("division by zero")
    if len(bottom) == 1 and () in bottom:
        scale = bottom[()]
        return Quotient({monomial: value / scale for monomial, value in top.items()}, ONE, plain)
    return Quotient(top, bottom, plain)


def _extracted(value: int, q: int) -> tuple[int, int]:
    """`(f, r)` with `value = f^q * r`, taking out small primes and whole roots only."""
    factor = 1
    for prime in _PRIMES:
        while value % prime**q == 0:
            value //= prime**q
            factor *= prime
    root = exact_root(value, q)
    return (factor * root, 1) if root is not None else (factor, value)


def _plus(a: Polynomial, b: Polynomial) -> Polynomial:
    total = dict(a)
    for monomial, coefficient in b.items():
        value = total.get(monomial, 0) + coefficient
        if value:
            total[monomial] = Fraction(value)
        else:
            total.pop(monomial, None)
    return _bounded(total)


def _bounded(polynomial: Polynomial) -> Polynomial:
    if len(polynomial) > MAX_TERMS:
        raise TooCostly(f"a polynomial of more than {MAX_TERMS} terms")
    for coefficient in polynomial.values():
        if coefficient.numerator.bit_length() > MAX_BITS or coefficient.denominator.bit_length() > MAX_BITS:
            raise TooCostly("a coefficient too large")
    return polynomial
