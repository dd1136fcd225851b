"""The Prefect server of a one-shot verb: started before its flow, and given up as soon as it ends."""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
from pathlib import Path

import prefect
from prefect.server.api.server import SubprocessASGIServer
from prefect.settings import PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS, get_current_settings

from flows.serving.server import HOST, ServerFailed, wait_for

TRIES = 2
"""Starts: another process may have taken the port between its choice and its use."""
EMBEDDED = {"PREFECT_UI_ENABLED": "0", "PREFECT__SERVER_EPHEMERAL": "1", "PREFECT__SERVER_FINAL": "1"}


def start_embedded() -> str:
    """The API of this process's embedded server, started unless it runs; every client of Prefect then uses it.

    Prefect itself would wait for one that died until its limit, or start it again without end. Raises `ServerFailed`
    as soon as the server has ended, with the last line that it wrote.
    """
    server = SubprocessASGIServer()
    if server.running:
        return server.api_url
    log = Path(os.environ.get("PREFECT_HOME", ".")) / "server.log"
    limit_s = float(PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS.value() or 0)
    for last in (n == TRIES for n in range(1, TRIES + 1)):
        server.port = server.find_available_port()
        server.server_process = _started(server.port, log)
        server.running = True
        try:
            wait_for(server.api_url, server.server_process, limit_s, log)
        except ServerFailed:
            ended = server.server_process.poll() is not None
            server.stop()
            if last or not ended:
                raise
        else:
            atexit.register(server.stop)
            break
    return server.api_url


def _started(port: int, log: Path) -> subprocess.Popen[bytes]:
    """The server as Prefect starts its own, but for its words, which go to `log`."""
    folder = str(Path(prefect.__file__).parent)
    asked = ["--app-dir", folder, "--factory", "prefect.server.api.server:create_app", "--host", HOST]
    command = [sys.executable, "-m", "uvicorn", *asked, "--port", str(port), "--log-level", "error", "--lifespan", "on"]
    settings = get_current_settings().to_environment_variables(exclude_unset=True)
    with log.open("wb") as out:
        return subprocess.Popen(command, env={**os.environ, **EMBEDDED, **settings}, stdout=out, stderr=out)
