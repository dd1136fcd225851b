"""Trees of what was written: expressions, structures and relations, without any algebra done to them."""

from __future__ import annotations

from fractions import Fraction
from typing import NamedTuple, TypeAlias


class Node(NamedTuple):
    """One operation and its operands.

    Scalars: `num(Fraction)`, `sym(name)`, `const(pi|e|i|inf)`, `add(*)`, `mul(*)`, `pow(base, exponent)`,
    `fn(name, *arguments)`, `degree(x)`, `base(digits, base)`. Structures: `list`, `tuple`, `set`, `matrix`
    (rows are tuples), `interval(low, high, brackets)`, `union(*)`, `ratio(*)`, `rel(operators, *sides)`, `word(text)`.
    """

    op: str
    args: tuple[Arg, ...]


Arg: TypeAlias = "Node | str | Fraction"


def num(value: int | Fraction) -> Node:
    """A rational constant."""
    return Node("num", (Fraction(value),))


MINUS_ONE, ZERO = num(-1), num(0)


def negated(node: Node) -> Node:
    """The opposite of `node`; a numeral stays a numeral."""
    value = node.args[0]
    return num(-value) if node.op == "num" and isinstance(value, Fraction) else Node("mul", (MINUS_ONE, node))


def divided(top: Node, bottom: Node) -> Node:
    """The quotient of two trees."""
    return Node("mul", (top, Node("pow", (bottom, MINUS_ONE))))


def children(node: Node) -> list[Node]:
    """The operands that are trees themselves."""
    return [arg for arg in node.args if isinstance(arg, Node)]


def symbols(node: Node) -> frozenset[str]:
    """Names of the variables in `node`."""
    if node.op == "sym":
        return frozenset({str(node.args[0])})
    return frozenset().union(*map(symbols, children(node))) if node.args else frozenset()


def has(node: Node, op: str) -> bool:
    """Whether `op` occurs anywhere in `node`."""
    return node.op == op or any(has(child, op) for child in children(node))


def has_constant(node: Node, name: str) -> bool:
    """Whether the constant `name` occurs anywhere in `node`."""
    return (node.op == "const" and node.args[0] == name) or any(has_constant(child, name) for child in children(node))
