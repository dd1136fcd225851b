"""Frames on the execution's socket: four bytes of length, then ASCII JSON; the wire has no other state.

Nothing in a frame refers to this machine, so that the far side may be another host.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from json.encoder import c_make_encoder, encode_basestring_ascii  # type: ignore[attr-defined]
from typing import Any

HEADER = 4
DEEPEST = 1000
"""Deepest nesting of a frame that is read where the recursion limit is above `MOST_FRAMES`."""
MOST_FRAMES = 5000
"""Above this recursion limit the JSON scanner could exhaust the C stack."""

_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[\]{}]')


class Closed(Exception):
    """The other side closed the channel, in the middle of a frame or between two."""


class Malformed(Exception):
    """The other side sent what no honest runner sends; the message says what."""


def _unknown(value: object) -> object:
    raise TypeError(f"{type(value).__name__} is not JSON")


_encode = c_make_encoder(None, _unknown, encode_basestring_ascii, None, ":", ",", False, False, False)
"""The standard encoder, which `JSONEncoder` makes anew for each call; it refuses NaN and does not look for circles."""


def dump(message: object) -> bytes:
    """One frame."""
    body = "".join(_encode(message, 0)).encode("ascii")
    return len(body).to_bytes(HEADER, "little") + body


def receive(read: Callable[[int], bytes], n_bytes: int) -> bytes:
    """Exactly `n_bytes` from `read`, which gives at most as many as asked for; raises `Closed` at the end."""
    chunk = read(n_bytes)
    if len(chunk) == n_bytes:
        return chunk
    chunks = []
    while chunk:
        chunks.append(chunk)
        n_bytes -= len(chunk)
        if not n_bytes:
            return b"".join(chunks)
        chunk = read(n_bytes)
    raise Closed


def load(body: bytes) -> Any:
    """The message of a frame's body; raises `Malformed` for anything but ASCII JSON within strict limits."""
    if sys.getrecursionlimit() > MOST_FRAMES and body.count(b"[") + body.count(b"{") > DEEPEST:
        _refuse_deep(body)
    try:
        return _DECODER.decode(body.decode("ascii"))
    except Malformed:
        raise
    except (ValueError, RecursionError) as error:
        raise Malformed(f"reply is not strict JSON: {type(error).__name__}") from None


def _refuse_deep(body: bytes) -> None:
    """Looks at the depth beforehand where the interpreter's own limit is too high to save the C stack."""
    depth = 0
    for token in _TOKENS.finditer(body):
        first = token.group()[:1]
        depth += (first in b"[{") - (first in b"]}")
        if depth > DEEPEST:
            raise Malformed("nested too deep")


def _integer(digits: str) -> int:
    if len(digits) > 17:
        raise Malformed("integer of too many digits")
    return int(digits)


def _constant(name: str) -> float:
    raise Malformed(f"{name} in JSON")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Malformed("a key twice in one object")
    return found


_DECODER = json.JSONDecoder(parse_int=_integer, parse_constant=_constant, object_pairs_hook=_object)
