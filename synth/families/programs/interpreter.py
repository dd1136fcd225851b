"""A small interpreter of integer programs, written apart from the families that generate them."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Sequence

BINARY: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.BitXor: operator.xor,
}
COMPARE: dict[type[ast.cmpop], Callable[[int, int], bool]] = {
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
}
CALLS: dict[str, Callable[..., int]] = {"max": max, "min": min, "abs": abs}


def run(tree: ast.Module, arguments: Sequence[int]) -> int | None:
    """What the module's only function returns; `None` when it divides by zero or uses syntax beyond the language."""
    function = tree.body[0]
    if not isinstance(function, ast.FunctionDef):
        return None
    names = [argument.arg for argument in function.args.args]
    try:
        return _block(function.body, dict(zip(names, arguments, strict=True)))
    except (ZeroDivisionError, KeyError):
        return None


def _block(body: Sequence[ast.stmt], scope: dict[str, int]) -> int | None:
    for statement in body:
        match statement:
            case ast.Return(value=ast.expr() as value):
                return _value(value, scope)
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                scope[name] = _value(value, scope)
            case ast.Assign(targets=[ast.Tuple(elts=places)], value=ast.Tuple(elts=values)):
                found = [_value(value, scope) for value in values]
                scope.update(
                    {place.id: v for place, v in zip(places, found, strict=True) if isinstance(place, ast.Name)}
                )
            case ast.If(test=test, body=then, orelse=otherwise):
                result = _block(then if _value(test, scope) else otherwise, scope)
                if result is not None:
                    return result
            case ast.For(target=ast.Name(id=name), iter=ast.Call(args=[bound]), body=inner):
                for step in range(_value(bound, scope)):
                    scope[name] = step
                    result = _block(inner, scope)
                    if result is not None:
                        return result
            case _:
                raise KeyError(ast.dump(statement))
    return None


def _value(node: ast.expr, scope: dict[str, int]) -> int:
    match node:
        case ast.Constant(value=int() as value):
            return value
        case ast.Name(id=name):
            return scope[name]
        case ast.BinOp(left=left, op=sign, right=right):
            return BINARY[type(sign)](_value(left, scope), _value(right, scope))
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            return -_value(inner, scope)
        case ast.Compare(left=left, ops=[sign], comparators=[right]):
            return COMPARE[type(sign)](_value(left, scope), _value(right, scope))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            return CALLS[name](*(_value(argument, scope) for argument in arguments))
    raise KeyError(ast.dump(node))
