"""Plain Python data as strict tagged JSON trees, and back.

None, bool, str, floats, lists and small integers are themselves; everything else is an object with one key:

    t tuple   d dict [[key, value], ...]   s set   z frozenset   i integer beyond 2**53, hexadecimal
    n "nan" "inf" "-inf"   c complex [re, im]   b bytes, hexadecimal   a bytearray, hexadecimal
    q Fraction [numerator, denominator]   m Decimal, text

A subclass of a plain type is packed as that type, through the plain type's own methods. numpy scalars and
arrays are packed as Python scalars and lists.
"""

from __future__ import annotations

import math
import sys
from typing import Any

Tree = Any
"""None, bool, int, float, str, a list of trees, or an object with one tag."""

MAX_DEPTH = 100
SMALL = 1 << 53


class NotPlain(Exception):
    """A value that is not plain data; the message names its type."""


class TooDeep(Exception):
    """A value nested deeper than `MAX_DEPTH`."""


def pack(value: object, depth: int = 0) -> Tree:
    """`value` as a tree; raises `NotPlain` or `TooDeep`.

    >>> pack((1, {"a": 2.5}))
    {'t': [1, {'d': [['a', 2.5]]}]}
    """
    kind = type(value)
    if kind is int:
        return value if -SMALL < value < SMALL else {"i": hex(value)}  # type: ignore[operator, arg-type]
    if kind is str or kind is bool or value is None:
        return value
    if kind is float:
        return value if math.isfinite(value) else {"n": repr(value)}  # type: ignore[arg-type]
    if depth >= MAX_DEPTH:
        raise TooDeep
    depth += 1
    if kind is list:
        return [pack(item, depth) for item in value]  # type: ignore[attr-defined]
    if kind is tuple:
        return {"t": [pack(item, depth) for item in value]}  # type: ignore[attr-defined]
    if kind is dict:
        return {"d": [[pack(k, depth), pack(v, depth)] for k, v in value.items()]}  # type: ignore[attr-defined]
    if kind is set or kind is frozenset:
        return {"s" if kind is set else "z": [pack(item, depth) for item in value]}  # type: ignore[attr-defined]
    return _pack_rare(value, kind, depth)


def _pack_rare(value: Any, kind: type, depth: int) -> Tree:
    if kind is bytes or kind is bytearray:
        return {"b" if kind is bytes else "a": value.hex()}
    if kind is complex:
        return {"c": [pack(value.real), pack(value.imag)]}
    module = kind.__module__
    if kind.__name__ == "Fraction" and kind is getattr(sys.modules.get("fractions"), "Fraction", None):
        return {"q": [pack(value.numerator), pack(value.denominator)]}
    if kind.__name__ == "Decimal" and kind is getattr(sys.modules.get("decimal"), "Decimal", None):
        return {"m": str(value)}
    if module == "numpy" and hasattr(kind, "tolist"):
        return pack(value.tolist(), depth)
    for base, plain in _BASES:
        if issubclass(kind, base):
            return pack(plain(value), depth)
    raise NotPlain(kind.__name__[:80])


_BASES: tuple[tuple[type, Any], ...] = (
    (int, lambda v: int.__add__(v, 0)),
    (float, lambda v: float.__add__(v, 0.0) if v else 0.0),
    (str, lambda v: "".join(str.__iter__(v))),
    (list, lambda v: list(list.__iter__(v))),
    (tuple, lambda v: tuple(tuple.__iter__(v))),
    (dict, lambda v: dict(dict.items(v))),
    (set, lambda v: set(set.__iter__(v))),
    (frozenset, lambda v: frozenset(frozenset.__iter__(v))),
    (bytes, lambda v: bytes(bytes.__iter__(v))),
)


def unpack(tree: Tree) -> Any:
    """The value of a tree that is known to be well formed (our own, or checked by `synth.sandbox.compare`)."""
    if type(tree) is list:
        return [unpack(item) for item in tree]
    if type(tree) is not dict:
        return tree
    ((tag, body),) = tree.items()
    return _UNPACK[tag](body)


def _fraction(body: list[Tree]) -> object:
    from fractions import Fraction

    return Fraction(unpack(body[0]), unpack(body[1]))


def _decimal(body: str) -> object:
    from decimal import Decimal

    return Decimal(body)


_UNPACK: dict[str, Any] = {
    "t": lambda body: tuple(map(unpack, body)),
    "d": lambda body: {unpack(k): unpack(v) for k, v in body},
    "s": lambda body: set(map(unpack, body)),
    "z": lambda body: frozenset(map(unpack, body)),
    "i": lambda body: int(body, 16),
    "n": float,
    "c": lambda body: complex(unpack(body[0]), unpack(body[1])),
    "b": bytes.fromhex,
    "a": bytearray.fromhex,
    "q": _fraction,
    "m": _decimal,
}
