"""Programs that compute the same as a given one, by rewriting that preserves meaning whatever the input."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterator

from synth.syntax import expression_of, tree_of

_REFLECTIVE = frozenset({"locals", "vars", "eval", "exec", "globals", "dir"})
_NUMBERS = (int, float, complex)


def rewritings(program: str) -> dict[str, str]:
    r"""The program under other names, with swapped operands, and with parentheses; only those that differ from it.

    `renamed` gives local variables other names. `commuted` swaps the operands of `+` and `*` where one is a number
    literal: there the order matters for no plain value. `parenthesised` puts what is returned in parentheses.
    Raises `SyntaxError` on text that is not Python.

    >>> rewritings("def f(x):\n    y = x + 1\n    return y")["renamed"]
    'def f(x):\n    y_again = x + 1\n    return y_again'
    """
    original = ast.unparse(tree_of(program))
    made = {"renamed": _renamed(tree_of(program)), "commuted": _commuted(tree_of(program))}
    made["parenthesised"] = _parenthesised(original)
    return {form: text for form, text in made.items() if text != original}


def expressions(expression: str) -> dict[str, str]:
    """As `rewritings`, of one expression.

    >>> expressions("2 * x + y")
    {'commuted': 'x * 2 + y', 'parenthesised': '(2 * x + y)'}
    """
    tree = expression_of(expression.strip())
    plain, commuted = ast.unparse(tree), _commuted(tree)
    return ({"commuted": commuted} if commuted != plain else {}) | {"parenthesised": f"({plain})"}


def _renamed(tree: ast.Module) -> str:
    taken = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | set(_other_names(tree))
    for function in tree.body:
        if isinstance(function, ast.FunctionDef):
            for name in sorted(_locals(function)):
                new = f"{name}_again"
                if new not in taken:
                    for node in ast.walk(function):
                        if isinstance(node, ast.Name) and node.id == name:
                            node.id = new
    return ast.unparse(tree)


def _locals(function: ast.FunctionDef) -> set[str]:
    """Variables that the function alone assigns and that nothing but plain names refers to."""
    names = [node for node in ast.walk(function) if isinstance(node, ast.Name)]
    used = {node.id for node in names}
    if used & _REFLECTIVE or any(isinstance(node, ast.ClassDef) for node in ast.walk(function)):
        return set()
    assigned = {node.id for node in names if isinstance(node.ctx, ast.Store)}
    return assigned - set(_other_names(function)) - set(dir(builtins))


def _other_names(tree: ast.AST) -> Iterator[str]:
    """Names bound or declared in the tree by anything but an assignment to a plain name."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                yield node.name
            case ast.arg():
                yield node.arg
            case ast.Global() | ast.Nonlocal():
                yield from node.names
            case ast.alias():
                yield (node.asname or node.name).split(".")[0]
            case ast.ExceptHandler() | ast.MatchAs() | ast.MatchStar() if node.name:
                yield node.name
            case ast.MatchMapping() if node.rest:
                yield node.rest
            case _:
                pass


def _commuted(tree: ast.AST) -> str:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.BinOp)
            and isinstance(node.op, ast.Add | ast.Mult)
            and _is_number(node.left) != _is_number(node.right)
        ):
            node.left, node.right = node.right, node.left
    return ast.unparse(tree)


def _is_number(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and type(node.value) in _NUMBERS


def _parenthesised(program: str) -> str:
    """Works on text, since a syntax tree knows no parentheses."""
    lines = program.encode().split(b"\n")
    returned = [node.value for node in ast.walk(tree_of(program)) if isinstance(node, ast.Return) and node.value]
    for value in sorted(returned, key=lambda node: (node.lineno, node.col_offset), reverse=True):
        for line, column, mark in (
            (value.end_lineno, value.end_col_offset, b")"),
            (value.lineno, value.col_offset, b"("),
        ):
            row = (line or value.lineno) - 1
            lines[row] = lines[row][:column] + mark + lines[row][column:]
    return b"\n".join(lines).decode()
