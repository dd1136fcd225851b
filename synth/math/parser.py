r"""A recursive-descent parser from tokens to trees, for LaTeX and plain text alike; it evaluates nothing.

Covered: arithmetic, implicit products, mixed numbers, roots, powers, factorials, percent, degrees, absolute
values, elementary functions, subscripts, number bases, tuples, sets, intervals, unions, matrices, relations.
Not covered (latex2sympy's in a worker, for scalars only): integrals, sums, limits.
"""

from __future__ import annotations

from synth.math.equality import MathError
from synth.math.scalars import ScalarParser
from synth.math.tokens import TooCostly, tokenize
from synth.math.tree import Node

RELATIONS = {
    "=": "=", "<": "<", ">": ">", "<=": "<=", ">=": ">=", "!=": "!=", "\\le": "<=", "\\leq": "<=", "\\leqslant": "<=",
    "\\ge": ">=", "\\geq": ">=", "\\geqslant": ">=", "\\lt": "<", "\\gt": ">", "\\ne": "!=", "\\neq": "!=",
    "\\in": "in",
}  # fmt: skip
_SETS = {"\\emptyset": "empty", "\\varnothing": "empty"}


class Parser(ScalarParser):
    """Structures and relations over `ScalarParser`'s expressions."""

    def everything(self) -> Node:
        """The tree of the whole text."""
        items = self.items()
        if self.peek():
            raise MathError(f"unexpected {self.peek()!r}")
        return items[0] if len(items) == 1 else Node("list", tuple(items))

    def items(self) -> list[Node]:
        """Relations separated by commas, semicolons, `and`, `or`."""
        found = [self.relation()]
        while self.peek() in (",", ";"):
            self.take()
            while self.peek() == ",":
                self.take()
            found.append(self.relation())
        return found

    def relation(self) -> Node:
        """A chain of comparisons, or what stands alone."""
        sides, operators = [self.union()], []
        while self.peek() in RELATIONS:
            operators.append(RELATIONS[self.take()])
            sides.append(self.union())
        return Node("rel", (" ".join(operators), *sides)) if operators else sides[0]

    def union(self) -> Node:
        """A union of structures, a ratio, or one expression or structure."""
        parts = [self.structure()]
        if self.peek() == ":":
            while self.peek() == ":":
                self.take()
                parts.append(self.sum())
            return Node("ratio", tuple(parts))
        while self.peek() in ("\\cup", "\\bigcup"):
            self.take()
            parts.append(self.structure())
        return Node("union", tuple(parts)) if len(parts) > 1 else parts[0]

    def structure(self) -> Node:
        """A set, tuple, interval or matrix, or else an expression."""
        token = self.peek()
        if token in _SETS:
            self.take()
            return Node("set", ())
        if token == "\\{":
            return self._set()
        if token == "\\begin":
            return self._matrix()
        if token in ("(", "[") and self._is_structure():
            return self._group()
        return self.sum()

    def _set(self) -> Node:
        self.take()
        if self.peek() == "\\}":
            self.take()
            return Node("set", ())
        if self.kind() == "name" and [token.text for token in self.tokens[self.place + 1 : self.place + 2]] in (
            ["|"],
            [":"],
        ):
            self.place += 2
            condition = self.relation()
            self.expect("\\}")
            return condition
        items = self.items()
        self.expect("\\}")
        return Node("set", tuple(items))

    def _is_structure(self) -> bool:
        """Whether the bracket that opens here holds commas, or closes with another kind; looks ahead only."""
        depth, commas = 0, False
        for at in range(self.place, len(self.tokens)):
            text = self.tokens[at].text
            if text in ("(", "[", "{", "\\{"):
                depth += 1
            elif text in (")", "]", "}", "\\}"):
                depth -= 1
                if depth == 0:
                    alone = self.peek() == "[" and self.place == 0 and at == len(self.tokens) - 1
                    return commas or alone or {"(": ")", "[": "]"}[self.peek()] != text
            commas = commas or (depth == 1 and text in (",", ";"))
        raise MathError(f"{self.peek()} is not closed")

    def _group(self) -> Node:
        """A tuple or an interval."""
        opening = self.take()
        items = self.items()
        closing = self.take()
        if closing not in (")", "]"):
            raise MathError(f"{opening} is not closed")
        if opening + closing == "()" or (opening + closing == "[]" and len(items) != 2):
            return Node("tuple", tuple(items))
        if len(items) == 2:
            return Node("interval", (items[0], items[1], opening + closing))
        raise MathError(f"{opening}...{closing} with {len(items)} items")

    def _matrix(self) -> Node:
        self.take()
        name = self.environment()
        if not name.endswith("matrix") and name not in ("array", "cases"):
            raise MathError(f"environment {name}")
        if name == "array" and self.peek() == "{":
            self.environment()
        rows: list[Node] = []
        cells: list[Node] = [self.relation()]
        while self.peek() in ("&", "\\\\"):
            if self.take() == "&":
                cells.append(self.relation())
                continue
            rows.append(Node("tuple", tuple(cells)))
            cells = [] if self.peek() == "\\end" else [self.relation()]
        if cells:
            rows.append(Node("tuple", tuple(cells)))
        self.expect("\\end")
        if self.environment() != name:
            raise MathError(f"environment {name} is not closed")
        return Node("matrix", tuple(rows))


def parse(text: str) -> Node:
    r"""The tree of `text` (in the dialect of `plain`); raises `MathError`, of which `TooCostly` is one kind.

    >>> parse("(1,2]").op, parse(r"\frac{x}{2}=1").op, parse("2x+1").op
    ('interval', 'rel', 'add')
    """
    try:
        return Parser(tokenize(text)).everything()
    except RecursionError:
        raise TooCostly("nested too deep") from None
