"""The launcher: enters namespaces, forks the zygote, and kills it as soon as the judge is gone."""

from __future__ import annotations

import json
import os
import select
import signal
import sys
from socket import socket
from typing import Any, NoReturn

WATCH_MS = 250
"""How often the launcher looks whether its parent is still the judge, besides the closing of its standard input."""


def main() -> NoReturn:
    """Runs one worker's far side; argv: the specification as JSON, the control socket's descriptor."""
    spec: dict[str, Any] = json.loads(sys.argv[1])
    parent = os.getppid()
    control = socket(fileno=int(sys.argv[2]))
    from . import namespaces, zygote

    try:
        zygote.preload(spec)
        if spec["namespaces"]:
            namespaces.enter(spec["uid"], spec["gid"])
    except OSError as error:
        control.send(json.dumps({"failed": str(error)}).encode())
        os._exit(1)
    pid = os.fork()
    if pid == 0:
        nothing = os.open(os.devnull, os.O_RDWR)
        os.dup2(nothing, 0)
        os.close(nothing)
        zygote.serve(control, spec)
    control.close()
    _watch(pid, parent)


def _watch(pid: int, parent: int) -> NoReturn:
    handle = os.pidfd_open(pid)
    poller = select.poll()
    poller.register(0, select.POLLIN)
    poller.register(handle, select.POLLIN)
    while not poller.poll(WATCH_MS):
        if os.getppid() != parent:
            break
    signal.pidfd_send_signal(handle, signal.SIGKILL)
    os.waitpid(pid, 0)
    os._exit(0)
