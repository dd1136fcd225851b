"""Critical alarms reach a webhook; a webhook that fails costs nothing but a line."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest
from pydantic import SecretStr

from flows.steps.notifying import notify
from warehouse.records import Alarm, AlarmLevel


def alarm(level: AlarmLevel) -> Alarm:
    return Alarm(
        alarm_id=level,
        owner="c",
        step=2,
        detector="pass_k_loss",
        detector_version="1",
        level=level,
        inputs={"value": 2},
    )


@pytest.fixture
def hook() -> Iterator[tuple[SecretStr, list[dict]]]:
    heard: list[dict] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield SecretStr(f"http://127.0.0.1:{server.server_port}/hook"), heard
    server.shutdown()
    thread.join()
    server.server_close()


def test_only_critical_alarms_are_told(hook):
    url, heard = hook
    assert notify(url, [alarm(AlarmLevel.WARN), alarm(AlarmLevel.CRITICAL)])
    assert heard == [{"alarms": [{"owner": "c", "step": 2, "detector": "pass_k_loss", "inputs": {"value": 2}}]}]
    assert not notify(url, [alarm(AlarmLevel.WARN)])
    assert not notify(None, [alarm(AlarmLevel.CRITICAL)])
    assert len(heard) == 1


@pytest.mark.parametrize("url", ["http://user:planted@127.0.0.1:9/hook", "not a url", "http://[::1"])
def test_a_webhook_that_fails_is_said_without_its_url(url, capsys):
    assert not notify(SecretStr(url), [alarm(AlarmLevel.CRITICAL)])
    said = capsys.readouterr().err
    assert "not told of 1 critical alarms" in said
    assert "planted" not in said
