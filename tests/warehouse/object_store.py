"""An S3-compatible server of the tests' own on loopback, for as long as it is needed."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager


def binary() -> str | None:
    """The command that starts moto's server, or none: `pip install 'moto[server]'`, or its path in MOTO_SERVER."""
    return os.environ.get("MOTO_SERVER") or shutil.which("moto_server")


@contextmanager
def server(command: str, bucket: str) -> Iterator[str]:
    """The endpoint of a running server that holds an empty bucket."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([command, "-H", "127.0.0.1", "-p", str(port)], **quiet)
    endpoint = f"http://127.0.0.1:{port}"
    try:
        for _ in range(300):
            if socket.socket().connect_ex(("127.0.0.1", port)) == 0:
                break
            time.sleep(0.2)
        urllib.request.urlopen(urllib.request.Request(f"{endpoint}/{bucket}", method="PUT"), timeout=60).close()
        yield endpoint
    finally:
        process.terminate()
        process.wait(30)
