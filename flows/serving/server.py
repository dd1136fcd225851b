"""A Prefect server with its home inside ours: started, waited for, and stopped."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from flows.room import make_room
from warehouse.errors import GradatimError, UserError

HOST = "127.0.0.1"
START_S = 300.0
"""Longest wait for a server to answer; it takes 5 to 15 s on a quiet machine."""
STOP_S = 20.0


class ServerFailed(GradatimError):
    """The server ended or did not answer in time."""


@contextmanager
def server_at(home: Path, port: int) -> Iterator[str]:
    """The API of a server for `home`: the one that `PREFECT_API_URL` names, else one started here and stopped after.

    The variable is set while it runs. Raises `UserError` when the port is taken or the disk is full, `ServerFailed`
    when a server does not come up.
    """
    make_room(home / "prefect")
    given = os.environ.get("PREFECT_API_URL")
    if given:
        wait_for(given, None, START_S if "//127.0.0.1" in given else 30.0)
        yield given
        return
    _refuse_taken(port)
    url = f"http://{HOST}:{port}/api"
    log = home / "prefect" / "server.log"
    command = [sys.executable, "-m", "prefect", "server", "start", "--host", HOST, "--port", str(port)]
    with log.open("ab") as out:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
    try:
        wait_for(url, process, START_S, log)
        os.environ["PREFECT_API_URL"] = url
        yield url
    finally:
        os.environ.pop("PREFECT_API_URL", None)
        stop(process)


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process: asked first, killed after `STOP_S`."""
    process.terminate()
    try:
        process.wait(STOP_S)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _refuse_taken(port: int) -> None:
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except OSError as error:
            raise UserError(
                f"port {port} cannot be used: {error.strerror}; choose another: gradatim serve --port {port + 1}, "
                f"or use the server that is there: PREFECT_API_URL=http://{HOST}:{port}/api gradatim serve"
            ) from error


def wait_for(url: str, process: subprocess.Popen[bytes] | None, limit_s: float, log: Path | None = None) -> None:
    """Wait until the API at `url` answers; raises `ServerFailed` when `process` ends first, or after `limit_s`."""
    see = f"; see: {log}" if log else "; is it running? without PREFECT_API_URL one is started here"
    until = time.monotonic() + limit_s
    while time.monotonic() < until:
        if process is not None and process.poll() is not None:
            raise ServerFailed(
                f"the Prefect server ended with code {process.returncode} while it started{_last_words(log)}{see}"
            )
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    raise ServerFailed(f"no Prefect server answered at {url} within {limit_s:g} s{see}")


def _last_words(log: Path | None) -> str:
    """The last line of a log, where it has one."""
    lines = log.read_text("utf-8", "replace").split("\n") if log and log.is_file() else []
    said = [line.strip() for line in lines if line.strip()]
    return f" ({said[-1][:200]})" if said else ""
