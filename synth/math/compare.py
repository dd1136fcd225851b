"""Comparison of two trees: structures by type, scalars by exact tiers, then by algebra in a worker."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from synth.math.equality import Equality
from synth.math.forms import Named, as_interval, interval, named, relation, signs
from synth.math.quotients import equal, is_zero, quotient
from synth.math.tokens import TooCostly
from synth.math.tree import Node, children, has, negated, symbols
from synth.math.value import Undefined, rational
from synth.math.workers import shared

_EQUAL, _NOT_EQUAL, _UNDECIDED = Equality.EQUAL, Equality.NOT_EQUAL, Equality.UNDECIDED
STRUCTURES = frozenset({"list", "set", "tuple", "interval", "union", "matrix"})


def compare(gold: Node, answer: Node, tolerance: Fraction | None = None) -> Equality:
    """How `answer` compares with `gold`; `tolerance` is an absolute difference allowed between numbers."""
    if gold == answer:
        return _EQUAL
    said, heard = named(gold), named(answer)
    if gold.op == "rel" or answer.op == "rel":
        return _relations(gold, answer, said, heard, tolerance)
    if gold.op not in STRUCTURES and (both := signs(gold)) is not None:
        gold = Node("list", tuple(both))
    if answer.op not in STRUCTURES and (both := signs(answer)) is not None:
        answer = Node("list", tuple(both))
    if gold.op in STRUCTURES or answer.op in STRUCTURES:
        return _structures(gold, answer, tolerance)
    return scalars(gold, answer, tolerance)


def _relations(
    gold: Node, answer: Node, said: Named | None, heard: Named | None, tolerance: Fraction | None
) -> Equality:
    if said is not None and heard is not None and said.name == heard.name:
        return compare(said.value, heard.value, tolerance)
    if gold.op == "rel" and answer.op == "rel":
        return _two_relations(gold, answer)
    if said is not None and answer.op != "rel":
        return compare(said.value, answer, tolerance)
    if heard is not None and gold.op != "rel":
        return compare(gold, heard.value, tolerance)
    return _chain(gold, answer, tolerance) if answer.op == "rel" else _NOT_EQUAL


def _chain(gold: Node, answer: Node, tolerance: Fraction | None) -> Equality:
    """A value against a chain like `a+2z = 2z+a = 101`: its last side counts when the others do not refute it."""
    chain = relation(answer)
    if chain is None or set(chain[0]) != {"="}:
        return _NOT_EQUAL
    *others, last = chain[1]
    for side in others:
        if symbols(side):
            if len(symbols(side)) < 2:
                return _NOT_EQUAL
        elif compare(side, last) is not _EQUAL:
            return _NOT_EQUAL
    return compare(gold, last, tolerance)


def _two_relations(gold: Node, answer: Node) -> Equality:
    left, right = relation(gold), relation(answer)
    if left is None or right is None or len(left[1]) != 2 or len(right[1]) != 2:
        return _all([compare(g, a) for g, a in _paired(gold, answer)], otherwise=_UNDECIDED)
    if left[0] != ["="] or right[0] != ["="]:
        same = left[0] == right[0] and _all([compare(g, a) for g, a in zip(left[1], right[1], strict=True)])
        return _EQUAL if same is _EQUAL else _UNDECIDED
    zeros = [Node("add", (sides[0], negated(sides[1]))) for sides in (left[1], right[1])]
    if any(has(zero, "word") or any(has(zero, op) for op in STRUCTURES) for zero in zeros):
        return _NOT_EQUAL
    return _equations(*zeros)


def _paired(gold: Node, answer: Node) -> list[tuple[Node, Node]]:
    left, right = relation(gold), relation(answer)
    if left is None or right is None or left[0] != right[0]:
        return []
    return list(zip(left[1], right[1], strict=True))


def _equations(gold: Node, answer: Node) -> Equality:
    try:
        forms = quotient(gold), quotient(answer)
        if is_zero(forms[1]):
            return _NOT_EQUAL
        if symbols(gold) != symbols(answer):
            return _NOT_EQUAL
        lead = next(iter(forms[0].top))
        if lead in forms[1].top:
            scale = forms[0].top[lead] / forms[1].top[lead]
            if all(forms[1].top.get(m, 0) * scale == c for m, c in forms[0].top.items()) and len(forms[0].top) == len(
                forms[1].top
            ):
                return _EQUAL
    except TooCostly:
        pass
    except Undefined:
        return _NOT_EQUAL
    return shared().compare("equation", gold, answer)[0]


def _structures(gold: Node, answer: Node, tolerance: Fraction | None) -> Equality:
    if gold.op == answer.op == "tuple" or (gold.op == "matrix" and answer.op == "matrix"):
        return _ordered(children(gold), children(answer), tolerance)
    if gold.op in ("set", "list") and answer.op in ("set", "list"):
        return _unordered(children(gold), children(answer), tolerance)
    if gold.op == "interval" or answer.op == "interval":
        ends = as_interval(gold), as_interval(answer)
        if ends[0] is None or ends[1] is None or ends[0].args[2] != ends[1].args[2]:
            return _NOT_EQUAL
        return _ordered(children(ends[0]), children(ends[1]), tolerance)
    if gold.op == answer.op == "union":
        parts = [[as_interval(part) or part for part in children(side)] for side in (gold, answer)]
        return _unordered(parts[0], parts[1], tolerance)
    if {gold.op, answer.op} == {"tuple", "list"}:
        return _ordered(children(gold), children(answer), tolerance)
    if {gold.op, answer.op} <= {"set", "list", *("num", "add", "mul", "pow", "fn", "sym", "const")}:
        sides = [children(side) if side.op in ("set", "list") else [side] for side in (gold, answer)]
        if len(sides[0]) == len(sides[1]) == 1:
            return compare(sides[0][0], sides[1][0], tolerance)
    return _NOT_EQUAL


def _all(found: Sequence[Equality], otherwise: Equality = _EQUAL) -> Equality:
    if not found:
        return otherwise
    if _NOT_EQUAL in found:
        return _NOT_EQUAL
    return _UNDECIDED if _UNDECIDED in found else _EQUAL


def _ordered(gold: Sequence[Node], answer: Sequence[Node], tolerance: Fraction | None) -> Equality:
    if len(gold) != len(answer):
        return _NOT_EQUAL
    found: list[Equality] = []
    for g, a in zip(gold, answer, strict=True):
        found.append(compare(g, a, tolerance))
        if found[-1] is _NOT_EQUAL:
            return _NOT_EQUAL
    return _all(found)


def _unordered(gold: Sequence[Node], answer: Sequence[Node], tolerance: Fraction | None) -> Equality:
    """Each element has its partner; equality being transitive, the first partner found will do."""
    if len(gold) != len(answer):
        return _NOT_EQUAL
    left, undecided = list(answer), False
    for element in gold:
        best: int | None = None
        for at, other in enumerate(left):
            outcome = compare(element, other, tolerance)
            if outcome is _EQUAL:
                best = at
                break
            undecided = undecided or outcome is _UNDECIDED
        if best is None:
            return _UNDECIDED if undecided else _NOT_EQUAL
        left.pop(best)
    return _EQUAL


def scalars(gold: Node, answer: Node, tolerance: Fraction | None = None) -> Equality:
    """Two scalars: exact rationals, then canonical quotients, then algebra in a worker."""
    gold, answer = _angles(gold, answer)
    if has(gold, "base") or has(answer, "base") or has(gold, "word") or has(answer, "word"):
        return _EQUAL if gold == answer else _NOT_EQUAL
    infinite = [side for side in (gold, answer) if _infinite(side)]
    if infinite:
        same = len(infinite) == 2 and interval(gold, gold, "[]") == interval(answer, answer, "[]")
        return _EQUAL if same else _NOT_EQUAL
    try:
        values = rational(gold), rational(answer)
        if values[0] is not None and values[1] is not None:
            if tolerance is not None:
                return _EQUAL if abs(values[0] - values[1]) <= tolerance else _NOT_EQUAL
            return _EQUAL if values[0] == values[1] else _NOT_EQUAL
        same_form = equal(quotient(gold), quotient(answer))
        if same_form is not None:
            return _EQUAL if same_form else _NOT_EQUAL
    except Undefined:
        return _NOT_EQUAL
    except TooCostly:
        pass
    return shared().compare("value", gold, answer)[0]


def _infinite(node: Node) -> bool:
    return (node.op == "const" and node.args[0] == "inf") or any(_infinite(child) for child in children(node))


def _angles(gold: Node, answer: Node) -> tuple[Node, Node]:
    """Degrees off where the other side has none, or both have them; kept against an angle in terms of pi."""
    degrees = [side.op == "degree" for side in (gold, answer)]
    if not any(degrees) or (not all(degrees) and _has_pi(answer if degrees[0] else gold)):
        return gold, answer
    stripped = [children(side)[0] if side.op == "degree" else side for side in (gold, answer)]
    return stripped[0], stripped[1]


def _has_pi(node: Node) -> bool:
    return (node.op == "const" and node.args[0] == "pi") or any(_has_pi(child) for child in children(node))
