"""A server that dies in mid-flow: what was made is kept, one line says so, and the same command ends it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

import pytest

from flows.serving import server_at
from flows.settings import prepared

VERB = ["synth", "--family", "rev", "--family", "max", "--family", "mix", "--n", "500", "--json"]


@pytest.mark.slow
def test_a_server_that_dies_in_mid_flow_costs_no_task(gradatim, tmp_path, monkeypatch):
    import socket

    monkeypatch.delenv("PREFECT_API_URL", raising=False)
    monkeypatch.setenv("PREFECT_HOME", str(tmp_path / "server" / "prefect"))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    prepared(tmp_path / "server")
    command = [sys.executable, "-c", "from flows.cli import main; main()", "--home", str(tmp_path / "home"), *VERB]
    with server_at(tmp_path / "server", port) as url:
        environment = os.environ | {"PREFECT_API_URL": url, "PREFECT_HOME": str(tmp_path / "home" / "prefect")}
        run = subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        catalog = tmp_path / "home" / "catalog.sqlite"
        while not catalog.exists() and run.poll() is None:
            time.sleep(0.2)
        time.sleep(2)
        assert run.poll() is None
    _, err = run.communicate(timeout=600)
    assert run.returncode == 1
    assert "what is committed stays" in err
    assert "Traceback" not in err.splitlines()[-1]
    assert "EventsWorker" not in err, "an event that was not sent is no line"
    again = gradatim(tmp_path / "home", *VERB)
    assert again.code == 0, again.err
    found = json.loads(again.out)
    assert found["n_in"] == 1500
    assert found["n_out"] + sum(found["rejected"].values()) == 1500
