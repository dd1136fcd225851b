"""Calculator annotations `<<48/2=24>>`: the computation of a worked answer, evaluated exactly."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass
from fractions import Fraction

from synth.syntax import expression_of

ANNOTATION = re.compile(r"<<([^<>=]*)=([^<>=]*)>>")
NUMBER = re.compile(r"\d+(?:\.\d+)?|\.\d+")
_LEGAL = re.compile(r"[\d\s.+\-*/()]+")


@dataclass(frozen=True, slots=True)
class Step:
    """One annotation: its expression as written and the value that it states."""

    expression: str
    value: Fraction


def steps_of(worked: str) -> list[Step] | None:
    """The annotations in order; `None` when one of them cannot be read.

    >>> steps_of("She sold 48/2 = <<48/2=24>>24 clips.")
    [Step(expression='48/2', value=Fraction(24, 1))]
    """
    steps = []
    for expression, value in ANNOTATION.findall(worked):
        stated = number(value)
        if stated is None or evaluate(expression) is None:
            return None
        steps.append(Step(expression.replace(",", ""), stated))
    return steps


def number(text: str) -> Fraction | None:
    """The number that `text` writes, or `None`."""
    try:
        return Fraction(text.strip().lstrip("$").replace(",", ""))
    except (ValueError, ZeroDivisionError):
        return None


def evaluate(expression: str) -> Fraction | None:
    """The exact value of arithmetic with + - * / and parentheses; `None` for anything else or division by zero.

    >>> evaluate("12/60"), evaluate("2**9")
    (Fraction(1, 5), None)
    """
    text = expression.replace(",", "")
    if not _LEGAL.fullmatch(text) or "**" in text or "//" in text or len(text) > 200:
        return None
    try:
        return _value(expression_of(re.sub(r"(?<![\d.])0+(?=\d)", "", text.strip())))
    except (SyntaxError, ZeroDivisionError, ValueError, RecursionError):
        return None


def _value(node: ast.expr) -> Fraction:
    match node:
        case ast.Constant(value=int() | float() as value):
            return Fraction(str(value))
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner)
        case ast.BinOp(left=left, op=sign, right=right):
            a, b = _value(left), _value(right)
            match sign:
                case ast.Add():
                    return a + b
                case ast.Sub():
                    return a - b
                case ast.Mult():
                    return a * b
                case ast.Div():
                    return a / b
    raise ValueError(ast.dump(node))
