"""An OpenAI-compatible server on loopback that misbehaves as told."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behave = Callable[["Handler", dict[str, Any], int], None]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.say(200, {"data": []})

    def do_POST(self) -> None:
        payload = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        owner = self.server
        with owner.lock:
            owner.requests.append(payload)
            owner.keys.append(self.headers.get("Authorization"))
            number = len(owner.requests)
            owner.busy += 1
            owner.most_busy = max(owner.most_busy, owner.busy)
        try:
            owner.behave(self, payload, number)
        finally:
            with owner.lock:
                owner.busy -= 1

    def say(self, status: int, body: object, **headers: str) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def reply(self, texts: list[str], *, end: str = "stop") -> None:
        choices = [{"message": {"role": "assistant", "content": text}, "finish_reason": end} for text in texts]
        self.say(200, {"choices": choices, "usage": {"prompt_tokens": 10, "completion_tokens": 4 * len(texts)}})

    def log_message(self, *args: object) -> None:
        pass


class ModelServer(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, behave: Behave) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.behave, self.lock = behave, threading.Lock()
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.busy = self.most_busy = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def handle_error(self, request: object, client_address: object) -> None:
        pass


@contextmanager
def serving(behave: Behave) -> Iterator[ModelServer]:
    server = ModelServer(behave)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


def echo(handler: Handler, payload: dict[str, Any], number: int) -> None:
    """Each choice tells its question, its seed and its place."""
    prompt = payload["messages"][-1]["content"]
    handler.reply([f"{prompt}/{payload['seed']}/{k}" for k in range(payload["n"])])


def hang(handler: Handler, payload: dict[str, Any], number: int) -> None:
    time.sleep(1.0)


def close_midway(handler: Handler, payload: dict[str, Any], number: int) -> None:
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [{"mess')
    handler.wfile.flush()
    handler.close_connection = True


def fewer(handler: Handler, payload: dict[str, Any], number: int) -> None:
    echo(handler, {**payload, "n": min(2, payload["n"])}, number)


def status(code: int, **headers: str) -> Behave:
    return lambda handler, payload, number: handler.say(code, {"error": {"message": "no"}}, **headers)


def first(n: int, bad: Behave, then: Behave = echo) -> Behave:
    """`bad` for the first `n` requests."""
    return lambda handler, payload, number: (bad if number <= n else then)(handler, payload, number)
