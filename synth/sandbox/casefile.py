"""Tests as text: strict tagged JSON, the form in which the warehouse keeps them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from synth.sandbox.case import Test
from synth.sandbox.compare import canonical
from synth.sandbox.inside.frames import Malformed, load
from synth.sandbox.inside.tree import MAX_DEPTH, NotPlain, TooDeep, Tree, pack, unpack
from warehouse.errors import UserError

_DEFAULTS: dict[str, Any] = {f.name: getattr(Test(), f.name) for f in fields(Test)}


AROUND = 8
"""Levels that are left for what a stored value is sent in: calls, programs with their calls."""


def packed(value: object, what: str, *, around: int = 0) -> Tree:
    """`value` as a tree; raises `UserError` when it is not plain data, since no process could be given it.

    `around` levels of the nesting that is allowed are left for others.
    """
    try:
        return pack(value, around)
    except NotPlain as error:
        raise UserError(
            f"{what} holds a {error}, which cannot be sent; allowed: None, bool, int, float, complex, str, bytes, "
            "list, tuple, dict, set, frozenset, Fraction, Decimal"
        ) from None
    except (TooDeep, RecursionError):
        raise UserError(f"{what} is nested too deep; allowed: {MAX_DEPTH - around} levels") from None


def _settled(tree: Tree) -> Tree:
    """The tree with the elements of sets in one order; dictionaries keep theirs, which a program can see."""
    if type(tree) is list:
        return [_settled(item) for item in tree]
    if type(tree) is not dict:
        return tree
    ((tag, body),) = tree.items()
    if type(body) is not list:
        return tree
    return {tag: sorted(map(_settled, body), key=canonical) if tag in ("s", "z") else _settled(body)}


def dump_tests(tests: Sequence[Test]) -> str:
    """The tests as canonical text; equal tests give equal text. Raises `UserError` for values that are not plain.

    >>> dump_tests([Test(args=((1, 2),), expected={3})])
    '[{"args":[{"t":[1,2]}],"expected":{"s":[3]}}]'
    """
    rows = []
    for number, test in enumerate(tests, 1):
        row: dict[str, Tree] = {}
        for name, default in _DEFAULTS.items():
            value = getattr(test, name)
            if name in ("args", "expected") or value != default:
                row[name] = _settled(
                    packed(list(value) if name == "args" else value, f"{name} of test {number}", around=AROUND)
                )
        rows.append(row)
    return json.dumps(rows, separators=(",", ":"), sort_keys=True, allow_nan=False)


def load_tests(text: str) -> tuple[Test, ...]:
    """The tests that `dump_tests` wrote; raises `UserError` for any other text."""
    try:
        rows = load(text.encode("ascii"))
        if type(rows) is not list:
            raise Malformed("not a list")
        return tuple(_test(row) for row in rows)
    except (Malformed, UnicodeEncodeError) as error:
        raise UserError(f"tests are not the sandbox's tagged JSON: {error}; see: synth.sandbox.dump_tests") from None


def _test(row: Tree) -> Test:
    if type(row) is not dict:
        raise Malformed("a test is not an object")
    unknown = sorted(set(row) - set(_DEFAULTS))
    if unknown:
        raise Malformed(f"unknown field {unknown[0]!r}")
    for tree in row.values():
        canonical(tree)
    try:
        return Test(**{name: unpack(tree) for name, tree in row.items()})
    except TypeError as error:
        raise Malformed(str(error)) from None
