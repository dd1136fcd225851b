"""What our own grammar lacks (integrals, sums, limits), parsed by latex2sympy; runs in a worker only."""

from __future__ import annotations

import sympy
from latex2sympy2_extended import NormalizationConfig, latex2sympy, normalize_latex

from synth.math.equality import MathError

_NORMAL = NormalizationConfig(basic_latex=True, units=False, malformed_operators=True, nits=True, boxed="none")


def parse_latex(text: str, *, positive: bool = False) -> sympy.Expr:
    """The value of a LaTeX expression with its integrals and sums done; raises `MathError` for anything else."""
    parsed = latex2sympy(normalize_latex(text, config=_NORMAL), is_real=True, convert_degrees=False)
    if not isinstance(parsed, sympy.Expr):
        raise MathError("not an expression")
    done = parsed.doit()
    if done.has(sympy.Integral, sympy.Sum, sympy.Product, sympy.Limit):
        raise MathError("an integral, sum or limit without a closed form")
    if positive:
        done = done.subs({name: sympy.Symbol(name.name, positive=True) for name in done.free_symbols})
    return done
