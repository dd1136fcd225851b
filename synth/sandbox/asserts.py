"""Assert statements as tests: `assert f(1) == 2` becomes a call and an expected value that stays outside.

`from_asserts(source, entry=..., prelude=...)` reads the body of `check(candidate)` where the source
defines one (HumanEval, MBPP in that format), else its top-level statements. Each of these becomes one Test:

    assert f(args) == value          compared as `==` does        assert f(args) is True
    assert f(args)    assert not f(args)                          truth of the answer
    assert abs(f(args) - value) < eps    assert math.isclose(f(args), value, rel_tol=r)

When every statement is of these kinds the tests hold plain values; else the whole source becomes one Test
with `check`: `prelude` (trusted definitions that the asserts use besides the candidate) and the asserts run in
an examiner process of their own, and the candidate answers from another one.
"""

from __future__ import annotations

import ast
import builtins
import math
import operator
from collections.abc import Callable
from typing import Any

from synth.sandbox.case import Test
from synth.syntax import tree_of
from warehouse.errors import UserError

CANDIDATE = "candidate"
_MOST_BITS = 4096
"""Of a number that arithmetic between literals may come to; Python writes no longer ones than 14,000."""
_OPERATORS: dict[type[ast.operator], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: operator.pow,
}


class _NotSimple(Exception):
    """A statement that cannot become a call and an expected value."""


def from_asserts(source: str, *, entry: str, prelude: str = "") -> tuple[Test, ...]:
    """The tests that `source` asserts about `entry`; raises `UserError` when it does not parse or asserts nothing.

    >>> from_asserts("assert abs(f(3) - 0.5) < 1e-6", entry="f")[0].abs_tol
    1e-06
    """
    try:
        module = tree_of(source)
    except (SyntaxError, ValueError) as error:
        raise UserError(f"tests do not parse: {error}; give Python assert statements") from None
    check = next((s for s in module.body if isinstance(s, ast.FunctionDef) and s.name == "check"), None)
    try:
        simple = [t for s in (check.body if check else module.body) if (t := _simple(s, entry)) is not None]
    except _NotSimple:
        return (Test(check=_program(module, check, prelude)),)
    except RecursionError:
        raise UserError("tests are nested too deep; give Python assert statements") from None
    if not simple:
        raise UserError("tests assert nothing about the candidate; give at least one assert statement")
    return tuple(simple)


def _program(module: ast.Module, check: ast.FunctionDef | None, prelude: str) -> str:
    try:
        body = ast.unparse(module)
    except RecursionError:
        raise UserError("tests are nested too deep; give Python assert statements") from None
    if check is None:
        body = f"def check({CANDIDATE}):\n" + "\n".join(f"    {line}" for line in body.splitlines())
    return f"{prelude}\n\n{body}\n"


def _simple(statement: ast.stmt, entry: str) -> Test | None:
    """The test of one statement, none for one that says nothing (`assert True`, a docstring, a bare name)."""
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant | ast.Name):
        return None
    if isinstance(statement, ast.Pass):
        return None
    if not isinstance(statement, ast.Assert):
        raise _NotSimple
    claim = statement.test
    if isinstance(claim, ast.Constant) and claim.value:
        return None
    if isinstance(claim, ast.UnaryOp) and isinstance(claim.op, ast.Not):
        return Test(**_call(claim.operand, entry), expected=False, equality="truth")
    if isinstance(claim, ast.Compare) and len(claim.ops) == 1:
        return _comparison(claim.left, claim.ops[0], claim.comparators[0], entry)
    if isinstance(claim, ast.Call) and ast.unparse(claim.func) == "math.isclose":
        return _is_close(claim, entry)
    return Test(**_call(claim, entry), expected=True, equality="truth")


def _comparison(left: ast.expr, compare: ast.cmpop, right: ast.expr, entry: str) -> Test:
    if isinstance(compare, ast.Eq):
        return Test(**_call(left, entry), expected=_value(right), equality="python")
    if isinstance(compare, ast.Is) and isinstance(right, ast.Constant) and right.value in (True, False, None):
        return Test(**_call(left, entry), expected=right.value)
    bound = isinstance(compare, ast.Lt | ast.LtE) and isinstance(left, ast.Call) and ast.unparse(left.func) == "abs"
    if bound and isinstance(left, ast.Call) and len(left.args) == 1 and isinstance(left.args[0], ast.BinOp):
        difference = left.args[0]
        if isinstance(difference.op, ast.Sub):
            tolerance = _tolerance(_value(right))
            called = _call(difference.left, entry)
            return Test(**called, expected=_value(difference.right), equality="python", abs_tol=tolerance)
    raise _NotSimple


def _is_close(claim: ast.Call, entry: str) -> Test:
    names = {keyword.arg: _value(keyword.value) for keyword in claim.keywords}
    if len(claim.args) != 2 or not set(names) <= {"rel_tol", "abs_tol"}:
        raise _NotSimple
    return Test(
        **_call(claim.args[0], entry),
        expected=_value(claim.args[1]),
        equality="python",
        rel_tol=_tolerance(names.get("rel_tol", 1e-9)),
        abs_tol=_tolerance(names.get("abs_tol", 0.0)),
    )


def _tolerance(value: object) -> float:
    if not isinstance(value, int | float) or not 0 <= value < math.inf:
        raise _NotSimple
    return float(value)


def _call(node: ast.expr, entry: str) -> dict[str, Any]:
    """What is called and with what, as fields of a Test."""
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
        raise _NotSimple
    name = node.func.id
    if hasattr(builtins, name) or any(keyword.arg is None for keyword in node.keywords):
        raise _NotSimple
    called: dict[str, Any] = {"args": tuple(_value(arg) for arg in node.args)}
    called["kwargs"] = {str(k.arg): _value(k.value) for k in node.keywords}
    return called if name in (CANDIDATE, entry) else called | {"entry": name}


def _value(node: ast.expr) -> Any:
    """The value of a literal, arithmetic between literals included; raises `_NotSimple` for anything else."""
    if isinstance(node, ast.BinOp):
        return _arithmetic(node)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub) and isinstance(node.operand, ast.BinOp):
        return -_arithmetic(node.operand)
    if isinstance(node, ast.List):
        return [_value(item) for item in node.elts]
    if isinstance(node, ast.Tuple):
        return tuple(_value(item) for item in node.elts)
    if isinstance(node, ast.Dict) and all(key is not None for key in node.keys):
        pairs = [(_value(key), _value(value)) for key, value in zip(node.keys, node.values, strict=True) if key]
        try:
            return dict(pairs)
        except TypeError:
            raise _NotSimple from None
    try:
        value = ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError, MemoryError):
        raise _NotSimple from None
    if value is ...:
        raise _NotSimple
    return value


def _arithmetic(node: ast.BinOp) -> Any:
    left, right = _value(node.left), _value(node.right)
    numbers = all(type(side) in (int, float, complex) for side in (left, right))
    texts = isinstance(node.op, ast.Add) and type(left) is type(right) is str
    if type(node.op) not in _OPERATORS or not (numbers or texts):
        raise _NotSimple
    if isinstance(node.op, ast.Pow) and not (abs(left) <= _MOST_BITS and abs(right) <= 64):
        raise _NotSimple
    try:
        value = _OPERATORS[type(node.op)](left, right)
    except (ArithmeticError, ValueError):
        raise _NotSimple from None
    if type(value) is int and value.bit_length() > _MOST_BITS:
        raise _NotSimple
    return value
