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
from synth.math.tree import Node, num
from synth.math.value import Undefined, exact_root

MAX_TERMS = 400
MAX_DEGREE = 64
MAX_BITS = 4000

Monomial: TypeAlias = tuple[tuple[Node, int], ...]
Polynomial: TypeAlias = dict[Monomial, Fraction]


class Quotient(NamedTuple):
    """`top / bottom`; `plain` when every atom is a variable."""

    top: Polynomial
    bottom: Polynomial
    plain: bool


ONE: Polynomial = {(): Fraction(1)}


def quotient(node: Node) -> Quotient:
    """The canonical form of a scalar tree; raises `TooCostly` past the bounds, `Undefined` for a zero divisor."""
    op, args = node.op, node.args
    if op == "num" and isinstance(args[0], Fraction):
        return Quotient({(): args[0]} if args[0] else {}, ONE, True)
    if op == "sym":
        return _atom(node, plain=True)
    parts = [arg for arg in args if isinstance(arg, Node)]
    if op in ("add", "mul"):
        total = quotient(parts[0])
        for part in parts[1:]:
            total = (_sum if op == "add" else _product)(total, quotient(part))
        return total
    if op == "pow":
        return _power(quotient(parts[0]), quotient(parts[1]))
    return _atom(Node(op, tuple(canonical(arg) if isinstance(arg, Node) else arg for arg in args)), plain=False)


def equal(a: Quotient, b: Quotient) -> bool | None:
    """Whether two quotients are one function: `None` when uninterpreted atoms leave that open."""
    same = _times(a.top, b.bottom) == _times(b.top, a.bottom)
    return True if same else (False if a.plain and b.plain else None)


def canonical(node: Node) -> Node:
    """A tree that is the same for equal quotients written in different order."""
    form = quotient(node)
    top, bottom = _as_node(form.top), _as_node(form.bottom)
    return top if form.bottom == ONE else Node("over", (top, bottom))


def is_zero(form: Quotient) -> bool:
    """Whether the quotient is identically zero."""
    return not form.top


def _as_node(polynomial: Polynomial) -> Node:
    terms = []
    for monomial, coefficient in sorted(polynomial.items(), key=repr):
        factors = [Node("pow", (atom, num(exponent))) for atom, exponent in monomial]
        terms.append(Node("mul", (num(coefficient), *factors)))
    return Node("add", tuple(terms))


def _atom(node: Node, *, plain: bool) -> Quotient:
    return Quotient({((node, 1),): Fraction(1)}, ONE, plain)


def _sum(a: Quotient, b: Quotient) -> Quotient:
    if a.bottom == b.bottom:
        return Quotient(_plus(a.top, b.top), a.bottom, a.plain and b.plain)
    top = _plus(_times(a.top, b.bottom), _times(b.top, a.bottom))
    return Quotient(top, _times(a.bottom, b.bottom), a.plain and b.plain)


def _product(a: Quotient, b: Quotient) -> Quotient:
    return Quotient(_times(a.top, b.top), _times(a.bottom, b.bottom), a.plain and b.plain)


def _constant(form: Quotient) -> Fraction | None:
    if set(form.top) <= {()} and set(form.bottom) == {()}:
        return form.top.get((), Fraction(0)) / form.bottom[()]
    return None


def _power(base: Quotient, exponent: Quotient) -> Quotient:
    n = _constant(exponent)
    if n is None:
        kind = Node("pow", (_joined(base), _joined(exponent)))
        return _atom(kind, plain=False)
    if n.denominator != 1:
        return _root(base, n)
    if abs(n) > MAX_DEGREE:
        value = _constant(base)
        if value is None or value not in (0, 1, -1):
            raise TooCostly(f"degree over {MAX_DEGREE}")
    if n < 0:
        if not base.top:
            raise Undefined("division by zero")
        base = Quotient(base.bottom, base.top, base.plain)
    result = Quotient(ONE, ONE, base.plain)
    for _ in range(min(abs(int(n)), MAX_DEGREE + int(n) % 2)):
        result = _product(result, base)
    return result


def _root(base: Quotient, n: Fraction) -> Quotient:
    """`base ** n` for a fractional exponent: square factors of a positive constant come out, the rest is an atom."""
    value = _constant(base)
    if value is None or value <= 0 or abs(n) > 8 or n.denominator > 12:
        return _atom(Node("pow", (_joined(base), num(n))), plain=False)
    # value ** (p/q) = (top * bottom^(q-1)) ** (p/q) / bottom^p, so that one integer is left under the root
    whole, part = divmod(n, 1)
    q = part.denominator
    inside = (value.numerator * value.denominator ** (q - 1)) ** part.numerator
    outside = Fraction(1, value.denominator**part.numerator) * value ** int(whole)
    factor, rest = _extracted(inside, q)
    if rest == 1:
        constant = outside * factor
        return Quotient({(): constant}, ONE, True)
    atom = Node("pow", (num(rest), num(Fraction(1, q))))
    return Quotient({((atom, 1),): outside * factor}, ONE, False)


def _extracted(value: int, q: int) -> tuple[int, int]:
    """`(f, r)` with `value = f^q * r`, taking out small primes and whole roots only."""
    if value.bit_length() > MAX_BITS:
        raise TooCostly("a large number under a root")
    factor = 1
    for prime in (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47):
        while value % prime**q == 0:
            value //= prime**q
            factor *= prime
    root = exact_root(value, q)
    return (factor * root, 1) if root is not None else (factor, value)


def _joined(form: Quotient) -> Node:
    return Node("over", (_as_node(form.top), _as_node(form.bottom)))


def _plus(a: Polynomial, b: Polynomial) -> Polynomial:
    total = dict(a)
    for monomial, coefficient in b.items():
        value = total.get(monomial, Fraction(0)) + coefficient
        if value:
            total[monomial] = value
        else:
            total.pop(monomial, None)
    return _bounded(total)


def _times(a: Polynomial, b: Polynomial) -> Polynomial:
    if a == ONE:
        return b
    if b == ONE:
        return a
    if len(a) * len(b) > MAX_TERMS * 8:
        raise TooCostly("a polynomial of too many terms")
    total: Polynomial = {}
    for left, x in a.items():
        for right, y in b.items():
            monomial, factor = _merged(left, right)
            value = total.get(monomial, Fraction(0)) + x * y * factor
            if value:
                total[monomial] = value
            else:
                total.pop(monomial, None)
    return _bounded(total)


def _merged(left: Monomial, right: Monomial) -> tuple[Monomial, Fraction]:
    """The product of two monomials; full powers of numeric roots and of the imaginary unit become numbers."""
    if not left:
        return right, Fraction(1)
    if not right:
        return left, Fraction(1)
    powers = dict(left)
    for atom, exponent in right:
        powers[atom] = powers.get(atom, 0) + exponent
    factor = Fraction(1)
    for atom, exponent in list(powers.items()):
        if exponent > MAX_DEGREE:
            raise TooCostly(f"degree over {MAX_DEGREE}")
        reduced, value = _reduced(atom, exponent)
        factor *= value
        if reduced:
            powers[atom] = reduced
        else:
            del powers[atom]
    return tuple(sorted(powers.items(), key=repr)), factor


def _reduced(atom: Node, exponent: int) -> tuple[int, Fraction]:
    if atom.op == "const" and atom.args[0] == "i" and exponent > 1:
        return exponent % 2, Fraction(-1 if exponent % 4 in (2, 3) else 1)
    if atom.op == "pow" and exponent > 1:
        radicand, root = atom.args
        if isinstance(radicand, Node) and radicand.op == "num" and isinstance(root, Node):
            value, part = radicand.args[0], root.args[0]
            if isinstance(value, Fraction) and isinstance(part, Fraction) and part.numerator == 1:
                times, rest = divmod(exponent, part.denominator)
                return rest, value**times
    return exponent, Fraction(1)


def _bounded(polynomial: Polynomial) -> Polynomial:
    if len(polynomial) > MAX_TERMS:
        raise TooCostly(f"a polynomial of more than {MAX_TERMS} terms")
    for coefficient in polynomial.values():
        if coefficient.numerator.bit_length() > MAX_BITS or coefficient.denominator.bit_length() > MAX_BITS:
            raise TooCostly("a coefficient too large")
    return polynomial
