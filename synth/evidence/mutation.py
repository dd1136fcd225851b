"""Mutants of a Python program: small edits of its syntax tree that usually change what it computes."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from synth.syntax import tree_of

OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Add,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.GtE,
    ast.LtE: ast.Gt,
    ast.Gt: ast.LtE,
    ast.GtE: ast.Lt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
CALLS = {"max": "min", "min": "max", "sum": "len", "any": "all", "all": "any", "sorted": "list"}


def mutants(program: str, *, within: str | None = None) -> list[str]:
    r"""Every one-edit mutant of `program`, in the order of its tree, without repeats.

    `within` limits edits to the function of that name. Raises `SyntaxError` on text that is not Python.

    >>> mutants("def f(x):\n    return x + 1")
    ['def f(x):\n    return None', 'def f(x):\n    return x - 1', 'def f(x):\n    return x + 2']
    """
    tree = tree_of(program)
    original = ast.unparse(tree)
    seen = {original: None}
    nodes = list(ast.walk(tree))
    root = next((n for n in nodes if isinstance(n, ast.FunctionDef) and n.name == within), tree)
    inside = {id(node) for node in ast.walk(root)} - _documentation(root)
    for node in nodes:
        if id(node) not in inside:
            continue
        for name, value in list(_edits(node)):
            kept = getattr(node, name)
            setattr(node, name, value)
            seen.setdefault(ast.unparse(tree))
            setattr(node, name, kept)
    return [text for text in seen if text != original]


def _documentation(root: ast.AST) -> set[int]:
    """Docstrings and annotations: edits there change nothing."""
    quiet: set[int] = set()
    for node in ast.walk(root):
        silent: list[ast.AST | None] = []
        if isinstance(node, ast.FunctionDef):
            silent += [node.returns, *(arg.annotation for arg in node.args.args)]
        if isinstance(node, ast.AnnAssign):
            silent.append(node.annotation)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            silent.append(node.value)
        for part in silent:
            quiet |= {id(child) for child in ast.walk(part)} if part is not None else set()
    return quiet


def _edits(node: ast.AST) -> Iterator[tuple[str, object]]:
    """The (field, new value) pairs that mutate `node` in place."""
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        yield "op", OPERATORS[type(node.op)]()
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        yield "ops", [COMPARISONS[type(node.ops[0])](), *node.ops[1:]]
    elif isinstance(node, ast.BoolOp):
        yield "op", ast.And() if isinstance(node.op, ast.Or) else ast.Or()
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        yield "op", ast.UAdd()
    elif isinstance(node, ast.Constant):
        yield from (("value", value) for value in _constants(node.value))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in CALLS:
        yield "func", ast.Name(CALLS[node.func.id], ast.Load())
    elif isinstance(node, ast.Slice) and node.step is None and node.lower is not None:
        yield "lower", None
    elif isinstance(node, ast.Return) and node.value is not None:
        yield "value", ast.Constant(None)
    elif isinstance(node, ast.If):
        yield "test", ast.UnaryOp(ast.Not(), node.test)


def _constants(value: object) -> list[object]:
    if isinstance(value, bool):
        return [not value]
    if isinstance(value, int):
        return [value + 1]
    if isinstance(value, float):
        return [value + 1.0]
    if isinstance(value, str):
        return [value + "x"]
    return []
