"""Faults: one wrong place in the source of a module, made by an edit of its syntax tree and spliced into its text.

Kinds: operator, boundary, wrong_variable, missing_branch, swapped_arguments, and contract, where a function that other
modules use changes what it takes or gives. All text around the edit stays as it is.
"""

from __future__ import annotations

import ast
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from synth.syntax import tree_of

KINDS = ("operator", "boundary", "wrong_variable", "missing_branch", "swapped_arguments", "contract")
_SIGNS = {"+": "-", "-": "+", "*": "+", "//": "*", "%": "//", "&": "|", "|": "&", "and": "or", "or": "and"}
_OPERATORS = {
    ast.Add: "+",
    ast.Sub: "-",
    ast.Mult: "*",
    ast.FloorDiv: "//",
    ast.Mod: "%",
    ast.BitAnd: "&",
    ast.BitOr: "|",
}
_BOUNDS = {ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">")}


@dataclass(frozen=True, slots=True)
class Fault:
    """One edit: in a module's text the characters from `start` to `end` become `text`."""

    kind: str
    module: str
    line: int
    start: int
    end: int
    text: str

    def applied(self, source: str) -> str:
        """The module's text with the fault in it."""
        return source[: self.start] + self.text + source[self.end :]


def inject(rng: random.Random, modules: Mapping[str, str], n: int) -> tuple[dict[str, str], list[Fault]]:
    """The modules with `n` faults in different ones, and the faults; fewer when there are not so many modules.

    A kind is drawn first, then a place, so that rare kinds are not drowned by operators.
    """
    broken, made = dict(modules), list[Fault]()
    used = _used_elsewhere(modules)
    places = {name: list(faults_of(name, text, used)) for name, text in modules.items()}
    for _ in range(n):
        free = [fault for name, found in places.items() for fault in found if name not in {f.module for f in made}]
        kinds = sorted({fault.kind for fault in free})
        if not kinds:
            break
        kind = rng.choice(kinds)
        several = [one for one in free if one.kind == kind]
        rng.shuffle(several)
        fault = next(one for one in several if _parses(one.applied(modules[one.module])))
        broken[fault.module] = fault.applied(broken[fault.module])
        made.append(fault)
    return broken, made


def faults_of(module: str, source: str, used: set[str]) -> Iterator[Fault]:
    """Every fault that can be made in one module; `used` are names that other modules import."""
    text = _Text(source)
    for node in ast.walk(text.tree):
        for kind, start, end, new in _edits(node, text, used):
            if source[start:end] != new:
                yield Fault(kind, module, source.count("\n", 0, start) + 1, start, end, new)


class _Text:
    """A module's text with its tree and the offsets of nodes in it; the text is ASCII."""

    def __init__(self, source: str) -> None:
        self.source, self.tree = source, tree_of(source)
        self._starts = [0]
        for line in source.split("\n"):
            self._starts.append(self._starts[-1] + len(line) + 1)

    def span(self, node: ast.expr | ast.stmt | ast.arg) -> tuple[int, int]:
        """Where a node's text begins and ends."""
        end_line, end_column = node.end_lineno or node.lineno, node.end_col_offset or node.col_offset
        return self._starts[node.lineno - 1] + node.col_offset, self._starts[end_line - 1] + end_column

    def of(self, node: ast.expr | ast.arg) -> str:
        """A node's text."""
        start, end = self.span(node)
        return self.source[start:end]

    def between(self, left: ast.expr, right: ast.expr, old: str) -> tuple[int, int]:
        """Where a sign stands between two nodes."""
        at = self.source.index(old, self.span(left)[1])
        return at, at + len(old)

    def lines(self, node: ast.stmt) -> tuple[int, int]:
        """The whole lines of a statement."""
        return self._starts[node.lineno - 1], self._starts[node.end_lineno or node.lineno]


Edit = tuple[str, int, int, str]


def _edits(node: ast.AST, text: _Text, used: set[str]) -> Iterator[Edit]:
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS and not isinstance(node.left, ast.Constant):
        sign = _OPERATORS[type(node.op)]
        yield "operator", *text.between(node.left, node.right, sign), _SIGNS[sign]
    elif isinstance(node, ast.AugAssign) and isinstance(node.op, ast.Add | ast.Sub):
        sign = "+=" if isinstance(node.op, ast.Add) else "-="
        yield "operator", *text.between(node.target, node.value, sign), "-=" if sign == "+=" else "+="
    elif isinstance(node, ast.BoolOp):
        sign = "and" if isinstance(node.op, ast.And) else "or"
        yield "operator", *text.between(node.values[0], node.values[1], sign), _SIGNS[sign]
    elif isinstance(node, ast.Compare) and type(node.ops[0]) in _BOUNDS:
        old, new = _BOUNDS[type(node.ops[0])]
        yield "boundary", *text.between(node.left, node.comparators[0], old), new
    elif isinstance(node, ast.Constant) and type(node.value) is int:
        for value in (node.value + 1, node.value - 1):
            if value >= 0:
                yield "boundary", *text.span(node), str(value)
    elif isinstance(node, ast.Call) and len(node.args) > 1 and text.of(node.args[0]) != text.of(node.args[1]):
        yield "swapped_arguments", *_swap(text, node.args[0], node.args[1])
    elif isinstance(node, ast.FunctionDef):
        yield from _in_function(node, text, used)


def _in_function(node: ast.FunctionDef, text: _Text, used: set[str]) -> Iterator[Edit]:
    inner = [child for child in ast.walk(node) if child is not node]
    names = {child.id for child in inner if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Store)}
    names |= {argument.arg for argument in node.args.args} - {"self", "_"}
    for child in inner:
        if isinstance(child, ast.Name) and isinstance(child.ctx, ast.Load) and child.id in names:
            for other in sorted(names - {child.id}):
                yield "wrong_variable", *text.span(child), other
        for body in (getattr(child, "body", None), getattr(child, "orelse", None), node.body):
            if isinstance(body, list) and child in body and isinstance(child, ast.If) and not child.orelse:
                start, end = text.lines(child)
                yield "missing_branch", start, end, "" if len(body) > 1 else " " * child.col_offset + "pass\n"
    if node.name in used:
        arguments = node.args.args
        if len(arguments) == 2 and not node.args.defaults and arguments[0].arg != "self":
            yield "contract", *_swap(text, arguments[0], arguments[1])
        for child in inner:
            if isinstance(child, ast.Return) and isinstance(child.value, ast.Tuple) and len(child.value.elts) == 2:
                yield "contract", *_swap(text, *child.value.elts)
            elif isinstance(child, ast.Return) and isinstance(
                child.value, ast.ListComp | ast.Name | ast.BinOp | ast.Call
            ):
                yield "contract", *text.span(child.value), f"[{text.of(child.value)}]"


def _swap(text: _Text, left: ast.expr | ast.arg, right: ast.expr | ast.arg) -> tuple[int, int, str]:
    (start, middle), (after, end) = text.span(left), text.span(right)
    return start, end, text.of(right) + text.source[middle:after] + text.of(left)


def _used_elsewhere(modules: Mapping[str, str]) -> set[str]:
    """Names that one module imports from another one."""
    trees = [ast.walk(tree_of(source)) for source in modules.values()]
    return {alias.name for nodes in trees for node in nodes if isinstance(node, ast.ImportFrom) for alias in node.names}


def _parses(source: str) -> bool:
    try:
        compile(source, "<fault>", "exec", dont_inherit=True)
    except SyntaxError:
        return False
    return True
