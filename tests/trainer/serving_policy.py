"""A server with vLLM's routes on loopback that samples by our own decoder, and misbehaves as told."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import torch
from transformers import AutoModelForCausalLM

from trainer.rollout import decode


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.say(200, {"data": [{"id": "policy"}]})

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.paths.append(self.path)
        if self.path == "/collective_rpc":
            if not self.server.development:
                return self.say(404, {"detail": "Not Found"})
            self.server.reload(asked["kwargs"]["weights_path"])
            return self.say(200, {"results": [None]})
        if self.path == "/reset_prefix_cache":
            return self.say(200, b"")
        return self.say(200, self.server.complete(asked))

    def say(self, status: int, body: object) -> None:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args: object) -> None:
        pass


class PolicyServer(ThreadingHTTPServer):
    """`stale`: keeps the weights it began with; `short`: leaves out the last completion; `development`: reloads."""

    daemon_threads = True

    def __init__(self, folder: Path, *, stale: bool, short: bool, development: bool) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.stale, self.short, self.development = stale, short, development
        self.model: Any = AutoModelForCausalLM.from_pretrained(folder)
        self.paths: list[str] = []

    def reload(self, folder: str) -> None:
        if not self.stale:
            self.model = AutoModelForCausalLM.from_pretrained(folder)

    def complete(self, asked: dict[str, Any]) -> dict[str, Any]:
        rows = decode(
            self.model, asked["prompt"], n=asked["n"], temperature=asked["temperature"], max_tokens=asked["max_tokens"],
            end_ids=asked["stop_token_ids"], pad_id=0, generator=torch.Generator().manual_seed(asked["seed"]),
        )  # fmt: skip
        choices = [
            {
                "index": index,
                "token_ids": row.ids,
                "logprobs": {"token_logprobs": row.logprobs},
                "finish_reason": "stop" if row.finished else "length",
            }
            for index, row in enumerate(rows)
        ]
        return {"choices": choices[::-1][self.short :]}


@contextmanager
def policy_server(
    folder: Path, *, stale: bool = False, short: bool = False, development: bool = True
) -> Iterator[PolicyServer]:
    """A running server; its address is `url`."""
    server = PolicyServer(folder, stale=stale, short=short, development=development)
    server.url = f"http://127.0.0.1:{server.server_address[1]}"
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()
