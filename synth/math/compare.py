"""Comparison of two trees: structures by type, scalars by exact tiers, then by algebra in a worker."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from synth.math.equality import Equality
from synth.math.forms import Named, as_interval, interval, joined, named, relation, signs
from synth.math.quotients import Quotients
from synth.math.tokens import TooCostly
from synth.math.tree import Node, children, divided, has, has_constant, negated, symbols
from synth.math.value import Undefined, rational
from synth.math.workers import JOB_CPU_S, shared

_EQUAL, _NOT_EQUAL, _UNDECIDED = Equality.EQUAL, Equality.NOT_EQUAL, Equality.UNDECIDED
STRUCTURES = frozenset({"list", "set", "tuple", "interval", "union", "matrix", "ratio"})
MAX_ELEMENTS = 64
"""Elements of an unordered structure that are matched with each other."""


class Comparison:
    """One comparison of a gold with an answer, within one budget of work and of worker CPU seconds.

    `tolerance` is an absolute difference allowed between rational numbers, 0 by default.
    """

    def __init__(self, tolerance: Fraction | None = None) -> None:
        self._tolerance = tolerance
        self._quotients = Quotients()
        self._cpu_s = JOB_CPU_S

    def compare(self, gold: Node, answer: Node) -> Equality:
        """How `answer` compares with `gold`; may raise `RecursionError` on trees nested past the stack."""
        if gold == answer:
            return _EQUAL
        gold, answer = joined(gold), joined(answer)
        if gold.op == "rel" or answer.op == "rel":
            return self._relations(gold, answer)
        gold, answer = _spread(gold), _spread(answer)
        if gold.op in STRUCTURES or answer.op in STRUCTURES:
            return self._structures(gold, answer)
        return self.scalars(gold, answer)

    def _relations(self, gold: Node, answer: Node) -> Equality:
        said, heard = named(gold), named(answer)
        if said is not None and heard is not None and said.name == heard.name:
            return self.compare(said.value, heard.value)
        if gold.op == "rel" and answer.op == "rel":
            return self._two_relations(gold, answer)
        return self._relation_and_value(gold, answer, said, heard)

    def _relation_and_value(self, gold: Node, answer: Node, said: Named | None, heard: Named | None) -> Equality:
        if gold.op == "rel":
            return _NOT_EQUAL if said is None else self.compare(said.value, answer)
        return self._chain(gold, answer) if heard is None else self.compare(gold, heard.value)

    def _chain(self, gold: Node, answer: Node) -> Equality:
        """A value against a chain like `a+2z = 2z+a = 101`: its last side counts when no other side refutes it."""
        chain = relation(answer)
        if chain is None or set(chain[0]) != {"="}:
            return _NOT_EQUAL
        *others, last = chain[1]
        for side in others:
            if symbols(side):
                if len(symbols(side)) < 2:
                    return _NOT_EQUAL
            elif self.compare(side, last) is not _EQUAL:
                return _NOT_EQUAL
        return self.compare(gold, last)

    def _two_relations(self, gold: Node, answer: Node) -> Equality:
        left, right = relation(gold), relation(answer)
        if left is None or right is None or left[0] != ["="] or right[0] != ["="]:
            return self._same_sides(left, right)
        zeros = [Node("add", (sides[0], negated(sides[1]))) for sides in (left[1], right[1])]
        if any(has(zero, "word") or any(has(zero, op) for op in STRUCTURES) for zero in zeros):
            return self._same_sides(left, right)
        return self._equations(zeros[0], zeros[1])

    def _same_sides(
        self, left: tuple[list[str], list[Node]] | None, right: tuple[list[str], list[Node]] | None
    ) -> Equality:
        """Two chains of comparisons, side by side; chains that differ may still say the same."""
        if left is None or right is None or left[0] != right[0]:
            return _UNDECIDED
        return _EQUAL if self._ordered(left[1], right[1]) is _EQUAL else _UNDECIDED

    def _equations(self, gold: Node, answer: Node) -> Equality:
        """Two equations as left minus right: the same when one is a constant multiple of the other."""
        try:
            ours, theirs = self._quotients.form(gold), self._quotients.form(answer)
            if not theirs.top or symbols(gold) != symbols(answer):
                return _NOT_EQUAL
            lead = next(iter(ours.top), None)
            if lead in theirs.top and lead is not None:
                scale = ours.top[lead] / theirs.top[lead]
                if ours.top == {term: value * scale for term, value in theirs.top.items()}:
                    return _EQUAL
        except TooCostly:
            pass
        except Undefined:
            return _NOT_EQUAL
        return self._algebra("equation", gold, answer)

    def _structures(self, gold: Node, answer: Node) -> Equality:
        kinds = {gold.op, answer.op}
        if "ratio" in kinds:
            return self._ratios(gold, answer)
        if kinds in ({"tuple"}, {"matrix"}, {"tuple", "list"}):
            return self._ordered(children(gold), children(answer))
        if kinds <= {"set", "list"}:
            sides = [self._distinct(side) if side.op == "set" else _elements(side) for side in (gold, answer)]
            return self._unordered(sides[0], sides[1])
        if "interval" in kinds:
            ends = as_interval(gold), as_interval(answer)
            if ends[0] is None or ends[1] is None or ends[0].args[2] != ends[1].args[2]:
                return _NOT_EQUAL
            return self._ordered(children(ends[0]), children(ends[1]))
        if kinds == {"union"}:
            parts = [[as_interval(part) or part for part in children(side)] for side in (gold, answer)]
            return self._unordered(parts[0], parts[1])
        if kinds & {"set", "list"} and not kinds - {"set", "list"} <= STRUCTURES:
            sides = [children(side) if side.op in ("set", "list") else [side] for side in (gold, answer)]
            if len(sides[0]) == len(sides[1]) == 1:
                return self.compare(sides[0][0], sides[1][0])
        return _NOT_EQUAL

    def _ratios(self, gold: Node, answer: Node) -> Equality:
        """The same terms are equal; proportional terms, or a ratio and its quotient, are left open."""
        if gold.op == answer.op and self._ordered(children(gold), children(answer)) is _EQUAL:
            return _EQUAL
        quotients = []
        for side in (gold, answer):
            terms = children(side) if side.op == "ratio" else [side]
            quotients.append(divided(terms[0], terms[1]) if len(terms) == 2 else terms[0])
        if any(side.op in STRUCTURES for side in quotients):
            return _NOT_EQUAL
        return _NOT_EQUAL if self.scalars(quotients[0], quotients[1]) is _NOT_EQUAL else _UNDECIDED

    def _distinct(self, node: Node) -> list[Node]:
        """The elements of a set, each once."""
        found: list[Node] = []
        for element in _elements(node)[: MAX_ELEMENTS + 1]:
            if not any(self.compare(other, element) is _EQUAL for other in found):
                found.append(element)
        return found

    def _ordered(self, gold: Sequence[Node], answer: Sequence[Node]) -> Equality:
        if len(gold) != len(answer):
            return _NOT_EQUAL
        outcome = _EQUAL
        for ours, theirs in zip(gold, answer, strict=True):
            found = self.compare(ours, theirs)
            if found is _NOT_EQUAL:
                return _NOT_EQUAL
            outcome = _UNDECIDED if found is _UNDECIDED else outcome
        return outcome

    def _unordered(self, gold: Sequence[Node], answer: Sequence[Node]) -> Equality:
        """Each element has its partner; equality being transitive, the first partner found will do."""
        if len(gold) != len(answer):
            return _NOT_EQUAL
        if len(gold) > MAX_ELEMENTS:
            return _UNDECIDED
        left, undecided = list(answer), False
        for element in gold:
            for at, other in enumerate(left):
                outcome = self.compare(element, other)
                if outcome is _EQUAL:
                    left.pop(at)
                    break
                undecided = undecided or outcome is _UNDECIDED
            else:
                return _UNDECIDED if undecided else _NOT_EQUAL
        return _EQUAL

    def scalars(self, gold: Node, answer: Node) -> Equality:
        """Two scalars: exact rationals, then canonical quotients, then algebra in a worker."""
        gold, answer = _angles(gold, answer)
        if any(has(side, op) for side in (gold, answer) for op in ("base", "word")):
            return _EQUAL if gold == answer else _NOT_EQUAL
        infinite = [has_constant(side, "inf") for side in (gold, answer)]
        if any(infinite):
            same = all(infinite) and interval(gold, gold, "[]") == interval(answer, answer, "[]")
            return _EQUAL if same else _NOT_EQUAL
        try:
            values = rational(gold), rational(answer)
            if values[0] is not None and values[1] is not None:
                near = abs(values[0] - values[1]) <= (self._tolerance or 0)
                return _EQUAL if near else _NOT_EQUAL
            same_form = self._quotients.equal(self._quotients.form(gold), self._quotients.form(answer))
            if same_form is not None:
                return _EQUAL if same_form else _NOT_EQUAL
        except Undefined:
            return _NOT_EQUAL
        except TooCostly:
            pass
        return self._algebra("value", gold, answer)

    def _algebra(self, mode: str, gold: Node, answer: Node) -> Equality:
        if self._cpu_s < 0.01:
            return _UNDECIDED
        outcome, cpu_s = shared().compare(mode, gold, answer, cpu_s=self._cpu_s)
        self._cpu_s -= cpu_s
        return outcome


def _spread(node: Node) -> Node:
    """A scalar with one plus-or-minus as the list of its two readings."""
    both = None if node.op in STRUCTURES else signs(node)
    return node if both is None else Node("list", tuple(both))


def _elements(node: Node) -> list[Node]:
    """The elements of a set or list, those with plus-or-minus as two."""
    return [part for child in children(node) for part in (signs(child) or [child])]


def _angles(gold: Node, answer: Node) -> tuple[Node, Node]:
    """Degrees off where the other side has none, or both have them; kept against an angle in terms of pi."""
    degrees = [side.op == "degree" for side in (gold, answer)]
    if not any(degrees) or (not all(degrees) and has_constant(answer if degrees[0] else gold, "pi")):
        return gold, answer
    stripped = [children(side)[0] if side.op == "degree" else side for side in (gold, answer)]
    return stripped[0], stripped[1]
