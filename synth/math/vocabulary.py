"""The words of the grammar: functions, constants, Greek letters, operators, brackets."""

from __future__ import annotations

FUNCTIONS = {
    **{name: name for name in ("sin", "cos", "tan", "cot", "sec", "csc", "sinh", "cosh", "tanh", "exp", "abs")},
    "ln": "log",
    "log": "log",
    "lg": "log10",
    "arcsin": "asin",
    "arccos": "acos",
    "arctan": "atan",
    **{name: name for name in ("asin", "acos", "atan", "gcd", "lcm")},
}
INVERSES = {"sin": "asin", "cos": "acos", "tan": "atan"}
CONSTANTS = {"\\pi": "pi", "\\infty": "inf"}
_LETTERS = (
    "alpha beta gamma delta epsilon varepsilon zeta eta theta vartheta iota kappa lambda mu nu xi rho sigma tau "
    "upsilon phi varphi chi psi omega Gamma Delta Theta Lambda Xi Pi Sigma Phi Psi Omega ell"
)
GREEK = frozenset(_LETTERS.split())
TIMES = frozenset({"*", "\\cdot", "\\times", "\\ast"})
OVER = frozenset({"/", "\\div"})
CLOSERS = {"(": ")", "[": "]", "{": "}", "\\lfloor": "\\rfloor", "\\lceil": "\\rceil"}
