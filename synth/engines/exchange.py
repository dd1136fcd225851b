"""One request to an HTTP server and its whole answer, within a time; nothing of what was sent enters an error."""

from __future__ import annotations

import http.client
import json
import socket
import ssl
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from pydantic import SecretStr

LARGEST = 32 * 1024 * 1024
"""Bytes of the largest answer that is read."""


class Response(NamedTuple):
    """What came back: a status and JSON, or in `trouble` why there is neither."""

    status: int = 0
    body: Any = None
    trouble: str | None = None
    wait_s: float | None = None


def exchange(
    url: str,
    payload: Mapping[str, Any] | None,
    *,
    key: SecretStr | None = None,
    timeout_s: float = 60.0,
) -> Response:
    """POSTs `payload` as JSON (GETs without one); never raises for what the server does.

    `timeout_s` bounds the whole exchange, so that a server that sends a byte now and then does not hold it up.
    """
    parts = urlsplit(url)
    deadline = time.monotonic() + timeout_s
    headers = {"Content-Type": "application/json", "Accept": "application/json"}
    if key is not None:
        headers["Authorization"] = f"Bearer {key.get_secret_value()}"
    body = None if payload is None else json.dumps(payload).encode("utf-8")
    connection = _connection(parts.scheme, parts.hostname or "", parts.port, timeout_s)
    late = threading.Timer(timeout_s, _hang_up, [connection])
    late.daemon = True
    late.start()
    try:
        connection.request("GET" if body is None else "POST", parts.path or "/", body, headers)
        reply = connection.getresponse()
        text = _read(reply, connection, deadline)
    except TimeoutError:
        return Response(trouble="timed out")
    except (ConnectionError, http.client.HTTPException, ssl.SSLError):
        return Response(trouble="timed out" if time.monotonic() >= deadline else "connection closed")
    except OSError:
        return Response(trouble="no connection")
    finally:
        late.cancel()
        connection.close()
    if text is None:
        return Response(reply.status, trouble="answer too long")
    wait_s = _wait(reply.getheader("Retry-After"))
    try:
        return Response(reply.status, json.loads(text), None, wait_s)
    except (ValueError, RecursionError):
        return Response(reply.status, None, None if reply.status != 200 else "answer is not JSON", wait_s)


def _connection(scheme: str, host: str, port: int | None, timeout_s: float) -> http.client.HTTPConnection:
    if scheme == "https":
        return http.client.HTTPSConnection(host, port, timeout=timeout_s, context=ssl.create_default_context())
    return http.client.HTTPConnection(host, port, timeout=timeout_s)


def _hang_up(connection: http.client.HTTPConnection) -> None:
    """Ends what is under way, headers included, which a socket's own timeout bounds byte by byte only."""
    with suppress(OSError):
        if connection.sock is not None:
            connection.sock.shutdown(socket.SHUT_RDWR)


def _read(reply: http.client.HTTPResponse, connection: http.client.HTTPConnection, deadline: float) -> bytes | None:
    """The whole body; none when it is too long. Raises `TimeoutError` past the deadline."""
    pieces: list[bytes] = []
    size = 0
    while True:
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        if connection.sock is not None:
            connection.sock.settimeout(left)
        piece = reply.read1(65_536)
        if not piece:
            if reply.length:
                raise http.client.IncompleteRead(b"")
            return b"".join(pieces)
        size += len(piece)
        if size > LARGEST:
            return None
        pieces.append(piece)


def _wait(header: str | None) -> float | None:
    """Seconds that `Retry-After` asks for, given as seconds or as a date."""
    if header is None:
        return None
    try:
        return max(0.0, float(header))
    except ValueError:
        pass
    try:
        return max(0.0, parsedate_to_datetime(header).timestamp() - time.time())
    except (ValueError, TypeError, OverflowError):
        return None
