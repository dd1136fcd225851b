"""Frames on the execution's socket: four bytes of length, then ASCII JSON; the wire has no other state.

Nothing in a frame refers to this machine, so that the far side may be another host.
"""

from __future__ import annotations

import json
from socket import socket
from typing import Any

HEADER = 4


class Closed(Exception):
    """The other side closed the channel, in the middle of a frame or between two."""


class Malformed(Exception):
    """The other side sent what no honest runner sends; the message says what."""


_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=True, allow_nan=False, check_circular=False).encode


def dump(message: object) -> bytes:
    """One frame."""
    body = _encode(message).encode("ascii")
    return len(body).to_bytes(HEADER, "little") + body


def receive(channel: socket, n_bytes: int) -> bytes:
    """Exactly `n_bytes`; raises `Closed`, and `TimeoutError` where the socket has a timeout."""
    chunks = []
    while n_bytes:
        chunk = channel.recv(min(n_bytes, 1 << 18))
        if not chunk:
            raise Closed
        chunks.append(chunk)
        n_bytes -= len(chunk)
    return b"".join(chunks) if len(chunks) != 1 else chunks[0]


def load(body: bytes) -> Any:
    """The message of a frame's body; raises `Malformed` for anything but ASCII JSON within strict limits."""
    try:
        return _DECODER.decode(body.decode("ascii"))
    except Malformed:
        raise
    except (ValueError, RecursionError) as error:
        raise Malformed(f"reply is not strict JSON: {type(error).__name__}") from None


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
