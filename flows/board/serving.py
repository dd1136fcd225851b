"""The board as a server in this process: marimo in run mode, whose readers change no code and see none."""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, cast

from flows.settings import Settings
from flows.steps.upkeep import existing_store
from warehouse.errors import UserError

if TYPE_CHECKING:
    import uvicorn

APP = Path(__file__).with_name("app.py")
SESSION_S = 120
"""Seconds that a closed browser's session is kept for its return."""


class Address(NamedTuple):
    """Where the board listens, and the token that its address carries; none lets everyone in who reaches it."""

    host: str
    port: int
    token: str | None

    @property
    def url(self) -> str:
        """What to open in a browser."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"http://{host}:{self.port}/" + (f"?access_token={self.token}" if self.token else "")


def serve(settings: Settings, *, host: str, port: int, token: bool, ready: Callable[[Address], None]) -> None:
    """Serve the board until Ctrl-C or SIGTERM; `ready` is told the address once the port is ours.

    Raises `UserError` without the extra `board`, without a warehouse, and when the port cannot be had.
    """
    if find_spec("marimo") is None:
        raise UserError("the board needs marimo, which is not installed; install it: pip install 'gradatim[board]'")
    existing_store(settings, read_only=True).close()
    with _listening(host, port) as listener:
        address = Address(host, listener.getsockname()[1], secrets.token_urlsafe(24) if token else None)
        os.environ["GRADATIM_HOME"] = str(settings.place.root)
        server = _server(address)
        _warm()
        ready(address)
        with suppress(KeyboardInterrupt):
            server.run(sockets=[listener])


def _listening(host: str, port: int) -> socket.socket:
    """A socket bound to the address, so that no one else gets the port between asking and serving."""
    try:
        family, kind, protocol, _, place = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise UserError(f"host '{host}' is not an address of this machine: {error.strerror}") from error
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(place)
    except OSError as error:
        listener.close()
        raise UserError(
            f"port {port} of {host} cannot be used: {error.strerror}; choose another: gradatim board --port {port + 1}"
        ) from error
    return listener


def _warm() -> None:
    """Import what pages are made of and open the warehouse, so that the first reader does not wait for it."""
    from flows.board.desk import desk
    from flows.board.lines import lines

    import_module("flows.board.app")
    desk().ask(lines)


def _server(address: Address) -> uvicorn.Server:
    import marimo
    import uvicorn
    from starlette.applications import Starlette
    from starlette.routing import Mount

    board = marimo.create_asgi_app(quiet=True, include_code=False, token=address.token, session_ttl=SESSION_S)
    built = cast("Starlette", board.with_app(path="/", root=str(APP)).build())

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        """marimo ends its sessions' threads only where its application is not mounted; here it is."""
        yield
        for route in built.routes:
            await cast("Starlette", cast(Mount, route).app).state.session_manager.shutdown()

    served = Starlette(routes=[Mount("/", built)], lifespan=lifespan)
    return uvicorn.Server(uvicorn.Config(served, log_level="warning", timeout_graceful_shutdown=2))
