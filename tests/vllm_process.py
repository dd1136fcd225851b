"""A real vLLM server on loopback, started for the tests that need one."""

from __future__ import annotations

import os
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

START_S = 420
"""Seconds in which the server must answer; about 30 on two idle cores."""
QUIET = {"VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1", "HF_HUB_OFFLINE": "1", "VLLM_CPU_KVCACHE_SPACE": "1",
         "VLLM_SERVER_DEV_MODE": "1"}  # fmt: skip


@contextmanager
def vllm_server(folder: Path, logs: Path, *options: str) -> Iterator[str]:
    """The address of a server of the model in `folder`, started by the python that $GRADATIM_VLLM names."""
    python = os.environ.get("GRADATIM_VLLM")
    if not python:
        pytest.skip("no vLLM: set GRADATIM_VLLM to the python of an environment with vllm or vllm-cpu")
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [
        python, "-m", "vllm.entrypoints.openai.api_server", "--model", str(folder), "--served-model-name", "smollm2",
        "--host", "127.0.0.1", "--port", str(port), "--enforce-eager", "--max-model-len", "2048", "--max-num-seqs",
        "16", *options,
    ]  # fmt: skip
    log = logs / "server.log"
    with log.open("w") as out:
        server = subprocess.Popen(
            command, stdout=out, stderr=subprocess.STDOUT, env={**os.environ, **QUIET}, start_new_session=True
        )
    try:
        _wait(server, f"http://127.0.0.1:{port}/health", log)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        try:
            server.wait(60)
        except subprocess.TimeoutExpired:
            server.kill()


def _wait(server: subprocess.Popen[bytes], url: str, log: Path) -> None:
    end = time.monotonic() + START_S
    while time.monotonic() < end and server.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=5):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(1)
    pytest.fail("vLLM did not start:\n" + log.read_text()[-2_000:])
