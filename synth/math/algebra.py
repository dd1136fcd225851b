"""Equality of two expressions by computer algebra; runs in a worker only, where a CPU clock bounds it.

Equal means proven symbolically, over the real points where both sides are real. Different means that the values
differ at some point, evaluated with tracked precision. Values that agree without a proof are `UNDECIDED`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import islice, product

import sympy

from synth.math.equality import Equality, MathError
from synth.math.tree import Node, children, has, symbols
from synth.math.value import WORKER_BITS, rational

PRECISION, SHARPER = 40, 200
"""Decimal digits of a numeric value: of all, and of those that agree without a proof."""
_POINTS = (
    sympy.Rational(7, 5), sympy.Rational(-11, 7), sympy.Rational(19, 3), sympy.Rational(2, 7), sympy.Rational(-37, 4),
    sympy.Rational(23, 11), sympy.Rational(-1, 9),
)  # fmt: skip
N_POINTS = 14

_FUNCTIONS: dict[str, Callable[..., sympy.Expr]] = {
    **{name: getattr(sympy, name) for name in ("sin", "cos", "tan", "cot", "sec", "csc", "asin", "acos", "atan")},
    **{name: getattr(sympy, name) for name in ("sinh", "cosh", "tanh", "exp", "log", "factorial", "binomial")},
    **{name: getattr(sympy, name) for name in ("floor", "ceiling", "gcd", "lcm")},
    "abs": sympy.Abs,
}
_CONSTANTS = {"pi": sympy.pi, "e": sympy.E, "i": sympy.I, "inf": sympy.oo}


def to_sympy(node: Node, *, positive: bool = False) -> sympy.Expr:
    """The sympy expression of a scalar tree, its variables real (or positive); raises `MathError`."""
    op, args = node.op, node.args
    if op == "num" and isinstance(args[0], Fraction):
        return sympy.Rational(args[0].numerator, args[0].denominator)
    if op == "sym":
        return sympy.Symbol(str(args[0]), real=True, positive=positive or None)
    if op == "const":
        return _CONSTANTS[str(args[0])]
    parts = [to_sympy(child, positive=positive) for child in children(node)]
    if op == "add":
        return sympy.Add(*parts)
    if op == "mul":
        return sympy.Mul(*parts)
    if op == "pow":
        return _power(parts[0], parts[1])
    if op == "degree":
        return parts[0] * sympy.pi / 180
    if op == "fn" and args[0] in _FUNCTIONS:
        return _FUNCTIONS[str(args[0])](*parts)
    if op == "fn" and str(args[0]).startswith("call "):
        return sympy.Function(str(args[0])[5:], real=True)(*parts)
    raise MathError(f"{op} {args[0]} has no algebra")


def _power(base: sympy.Expr, exponent: sympy.Expr) -> sympy.Expr:
    """A power; odd roots of negative reals are real, as schools have it."""
    if exponent.is_Rational and not exponent.is_Integer and exponent.q % 2 == 1 and base.is_real:
        root = sympy.real_root(base, exponent.q)
        return root**exponent.p
    if base.is_Integer and exponent.is_Integer and abs(exponent) * max(int(base).bit_length(), 1) > WORKER_BITS:
        raise MathError("a power too large")
    return base**exponent


def same_value(a: Node, b: Node) -> Equality:
    """Whether two scalar trees are one number or function."""
    if not (has(a, "sym") or has(b, "sym")):
        left, right = rational(a, WORKER_BITS), rational(b, WORKER_BITS)
        if left is not None and right is not None:
            return Equality.EQUAL if left == right else Equality.NOT_EQUAL
    return same_expression(lambda positive: (to_sympy(a, positive=positive), to_sympy(b, positive=positive)))


def same_expression(build: Callable[[bool], tuple[sympy.Expr, sympy.Expr]]) -> Equality:
    """As `same_value`, for what `build(positive)` gives as sympy expressions."""
    left, right = build(False)
    for side in (left, right):
        if side.has(sympy.nan, sympy.zoo):
            return Equality.UNDECIDED
    if left == right:
        return Equality.EQUAL
    agreed, negative = _compared_at_points(left, right)
    if agreed is Equality.NOT_EQUAL:
        return Equality.NOT_EQUAL
    if agreed is Equality.UNDECIDED:
        return Equality.UNDECIDED
    if left.free_symbols | right.free_symbols and not negative:
        left, right = build(True)
    if _proven_zero(left - right):
        return Equality.EQUAL
    return (
        Equality.NOT_EQUAL if _compared_at_points(left, right, SHARPER)[0] is Equality.NOT_EQUAL else Equality.UNDECIDED
    )


def _points(count: int) -> Iterator[tuple[sympy.Rational, ...]]:
    """Points of `count` coordinates: first those along shifted diagonals, then the grid."""
    for shift in range(len(_POINTS)):
        yield tuple(_POINTS[(shift + i * 2) % len(_POINTS)] for i in range(count))
    yield from product(_POINTS, repeat=count)


def _compared_at_points(left: sympy.Expr, right: sympy.Expr, digits: int = PRECISION) -> tuple[Equality, bool]:
    """Whether values agree, and whether both were real at a point with a negative coordinate.

    `UNDECIDED` when nowhere defined together, or where one is real and the other is not.
    """
    names = sorted(left.free_symbols | right.free_symbols, key=str)
    common, negative, mismatch = 0, False, False
    slack = sympy.Float(10, digits) ** (-digits * 5 // 8)
    for point in islice(_points(len(names)), N_POINTS if names else 1):
        where = dict(zip(names, point, strict=True))
        values = [_number(side, where, digits) for side in (left, right)]
        if values[0] is None or values[1] is None:
            continue
        real = [abs(sympy.im(value)) < slack for value in values]
        if names and real[0] != real[1]:
            mismatch = True
            continue
        if names and not real[0]:
            continue
        common += 1
        negative = negative or any(coordinate < 0 for coordinate in point)
        size = max(abs(values[0]), abs(values[1]), slack)
        if abs(values[0] - values[1]) > size * slack:
            return Equality.NOT_EQUAL, negative
    if common == 0 or mismatch:
        return Equality.UNDECIDED, negative
    return Equality.EQUAL, negative


def _number(side: sympy.Expr, where: dict[sympy.Symbol, sympy.Rational], digits: int) -> sympy.Expr | None:
    value = side.subs(where) if where else side
    value = value.evalf(digits, maxn=digits * 10)
    if value.has(sympy.nan, sympy.zoo, sympy.oo) or not value.is_number or value.has(sympy.Function):
        return None
    real, imaginary = value.as_real_imag()
    return value if real.is_Float or imaginary.is_Float or value.is_Number else None


def _proven_zero(difference: sympy.Expr) -> bool:
    """Whether a proof by expansion, cancellation, simplification or minimal polynomial shows zero."""
    steps: tuple[Callable[[sympy.Expr], sympy.Expr], ...] = (
        sympy.expand,
        sympy.cancel,
        sympy.radsimp,
        lambda d: sympy.trigsimp(_one_argument(d)),
        lambda d: sympy.expand(sympy.expand_log(sympy.expand_trig(d), force=False)),
        sympy.simplify,
        lambda d: sympy.simplify(d.rewrite(sympy.exp)),
        lambda d: sympy.simplify(d.rewrite(sympy.sin)),
        sympy.sqrtdenest,
    )
    for step in steps:
        try:
            if step(difference) == 0:
                return True
        except (NotImplementedError, ValueError, TypeError, AttributeError, ZeroDivisionError, sympy.PolynomialError):
            continue
    if not difference.free_symbols and difference.is_algebraic:
        x = sympy.Symbol("x")
        try:
            return bool(sympy.minimal_polynomial(difference, x) == x)
        except NotImplementedError:
            return False
    return False


def _one_argument(difference: sympy.Expr) -> sympy.Expr:
    """`difference` with `t` for `u` where its functions take multiples of one real `u`: zero for t is zero for u."""
    arguments = sorted({call.args[0] for call in difference.atoms(sympy.Function) if call.args}, key=sympy.count_ops)
    if not arguments or arguments[0].is_Symbol or not arguments[0].is_real or not arguments[0].free_symbols:
        return difference
    ratios = {argument: sympy.cancel(argument / arguments[0]) for argument in arguments}
    if not all(ratio.is_Rational for ratio in ratios.values()):
        return difference
    t = sympy.Dummy("t", real=True)
    return difference.xreplace({argument: ratio * t for argument, ratio in ratios.items()})


def same_equation(a: Node, b: Node) -> Equality:
    """Whether two equations, given as left minus right, have the same solutions: proportional by a constant."""
    left, right = to_sympy(a), to_sympy(b)
    if symbols(a) != symbols(b):
        return Equality.NOT_EQUAL
    ratio = sympy.cancel(sympy.together(left / right))
    if not ratio.free_symbols:
        return Equality.EQUAL if ratio.is_zero is False else Equality.UNDECIDED
    names = sorted(left.free_symbols, key=str)
    if left.is_polynomial(*names) and right.is_polynomial(*names):
        parts = [sympy.factor_list(side, *names)[1] for side in (left, right)]
        radicals = [sorted(str(sympy.Poly(factor, *names).monic()) for factor, _ in part) for part in parts]
        return Equality.EQUAL if radicals[0] == radicals[1] else Equality.NOT_EQUAL
    ratio = sympy.simplify(ratio)
    return Equality.EQUAL if not ratio.free_symbols and ratio.is_zero is False else Equality.UNDECIDED
