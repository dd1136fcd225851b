"""What a tree says: a named value, a range of a variable, a chain of equal sides, a value with plus or minus."""

from __future__ import annotations

from typing import NamedTuple

from synth.math.tree import MINUS_ONE, Node, children, has, symbols
from synth.math.value import rational

_INFINITY = Node("const", ("inf",))
_FLIPPED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}
MINUS_INFINITY = Node("mul", (MINUS_ONE, _INFINITY))


class Named(NamedTuple):
    """`x = value` or `x in value`."""

    name: str
    value: Node


def relation(node: Node) -> tuple[list[str], list[Node]] | None:
    """Operators and sides of a chain of comparisons."""
    return (str(node.args[0]).split(), children(node)) if node.op == "rel" else None


def named(node: Node) -> Named | None:
    """The value or range that `node` gives to one name standing alone on a side, or `None`."""
    chain = relation(node)
    if chain is None:
        return None
    operators, sides = chain
    if set(operators) == {"="}:
        name = _name(sides[0])
        if name is not None and name not in symbols(sides[-1]):
            return Named(name, sides[-1])
        last = _name(sides[-1])
        return Named(last, sides[0]) if last is not None and len(sides) == 2 and last not in symbols(sides[0]) else None
    if operators == ["in"]:
        name = _name(sides[0])
        return None if name is None else Named(name, sides[1])
    return _range(operators, sides)


def _name(side: Node) -> str | None:
    if side.op in ("sym", "word"):
        return str(side.args[0])
    if side.op == "fn" and str(side.args[0]).startswith("call "):
        return str(side.args[0])[5:]
    return None


def _range(operators: list[str], sides: list[Node]) -> Named | None:
    """`x < 3`, `3 > x`, `1 < x <= 2` and `x != 3` as intervals."""
    if len(sides) == 2:
        operator, left, right = operators[0], *sides
        if left.op != "sym":
            left, right, operator = right, left, _FLIPPED.get(operator, operator)
        if left.op != "sym" or symbols(right):
            return None
        name = str(left.args[0])
        if operator == "!=":
            parts = (interval(MINUS_INFINITY, right, "()"), interval(right, _INFINITY, "()"))
            return Named(name, Node("union", parts))
        if operator in ("<", "<="):
            return Named(name, interval(MINUS_INFINITY, right, "(]" if operator == "<=" else "()"))
        return Named(name, interval(right, _INFINITY, "[)" if operator == ">=" else "()"))
    if len(sides) == 3 and sides[1].op == "sym" and not symbols(sides[0]) | symbols(sides[2]):
        low, high = sides[0], sides[2]
        if set(operators) <= {">", ">="}:
            low, high, operators = high, low, [_FLIPPED[operator] for operator in reversed(operators)]
        if set(operators) <= {"<", "<="}:
            brackets = ("[" if operators[0] == "<=" else "(") + ("]" if operators[1] == "<=" else ")")
            return Named(str(sides[1].args[0]), interval(low, high, brackets))
    return None


def interval(low: Node, high: Node, brackets: str) -> Node:
    """An interval; an infinite end is open however it is written."""
    left = "(" if has(low, "const") and low in (MINUS_INFINITY, _INFINITY) else brackets[0]
    right = ")" if high in (MINUS_INFINITY, _INFINITY) else brackets[1]
    return Node("interval", (low, high, left + right))


def as_interval(node: Node) -> Node | None:
    """An interval, a pair read as an open interval, or `None`."""
    if node.op == "interval":
        low, high = children(node)
        return interval(low, high, str(node.args[2]))
    if node.op == "tuple" and len(node.args) == 2:
        low, high = children(node)
        return interval(low, high, "()")
    return None


def signs(node: Node) -> list[Node] | None:
    """Both readings of a scalar with one plus-or-minus, or `None` when there is none."""
    count = _count(node)
    if count != 1:
        return None
    return [_signed(node, False), _signed(node, True)]


def _count(node: Node) -> int:
    own = node.op == "fn" and node.args[0] == "pm"
    return int(own) + sum(_count(child) for child in children(node))


def _signed(node: Node, minus: bool) -> Node:
    if node.op == "fn" and node.args[0] == "pm":
        inner = children(node)[0]
        return Node("mul", (MINUS_ONE, inner)) if minus else inner
    return Node(node.op, tuple(_signed(arg, minus) if isinstance(arg, Node) else arg for arg in node.args))


def joined(node: Node) -> Node:
    """Two ranges of one variable with nothing in common, `x < -1 or x > 3`, as a union; else `node` itself."""
    ranges = [named(child) for child in children(node)] if node.op == "list" and len(node.args) == 2 else []
    if len(ranges) != 2 or ranges[0] is None or ranges[1] is None or ranges[0].name != ranges[1].name:
        return node
    parts = [ranges[0].value, ranges[1].value]
    if any(part.op != "interval" for part in parts):
        return node
    parts.sort(key=lambda part: children(part)[0] != MINUS_INFINITY)
    ends = children(parts[0])[0], children(parts[0])[1], children(parts[1])[0], children(parts[1])[1]
    inner = rational(ends[1]), rational(ends[2])
    apart = inner[0] is not None and inner[1] is not None and inner[0] <= inner[1]
    return Node("union", tuple(parts)) if apart and ends[0] == MINUS_INFINITY and ends[3] == _INFINITY else node
