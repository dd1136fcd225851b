"""A headless Chromium driven over its DevTools protocol."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from websockets.sync.client import connect

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")

DEEP = """
function all(root, found) {
  for (const element of root.querySelectorAll('*')) {
    found.push(element);
    if (element.shadowRoot) all(element.shadowRoot, found);
  }
  return found;
}
function every(selector) { return all(document, []).filter(e => e.matches(selector)); }
function words() {
  const inside = node => [...node.childNodes].map(child =>
    child.nodeType === 3 ? child.textContent
    : child.nodeType !== 1 || ['SCRIPT', 'STYLE', 'TEMPLATE', 'NOSCRIPT'].includes(child.tagName) ? ''
    : (child.shadowRoot ? inside(child.shadowRoot) : '') + ' ' + inside(child)).join(' ');
  return document.body === null ? '' : inside(document.body).replace(/\\s+/g, ' ');
}
"""
"""Functions that look into shadow roots too, where marimo's elements draw themselves."""


class Browser:
    """One page of a Chromium of its own; `errors` are its console's, `hosts` those that it asked for something."""

    def __init__(self, folder: Path) -> None:
        if CHROMIUM is None:
            raise FileNotFoundError("no Chromium")
        command = [
            CHROMIUM,
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--no-first-run",
        ]
        command += ["--disable-background-networking", "--disable-component-update", "--disable-sync"]
        command += ["--remote-debugging-port=0", f"--user-data-dir={folder}", "about:blank"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        port = _port(folder / "DevToolsActivePort", self.process)
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/json", timeout=30) as told:
            pages = [target for target in json.load(told) if target["type"] == "page"]
        self._socket = connect(pages[0]["webSocketDebuggerUrl"], max_size=None)
        self._number = 0
        self.errors: list[str] = []
        self.hosts: set[str] = set()
        for name in ("Page", "Runtime", "Log", "Network"):
            self.send(f"{name}.enable")

    def send(self, method: str, **params: Any) -> dict[str, Any]:
        """The answer to one command."""
        self._number += 1
        self._socket.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            told = json.loads(self._socket.recv(timeout=60))
            if told.get("id") == self._number:
                assert "error" not in told, told
                return told["result"]  # type: ignore[no-any-return]
            self._note(told)

    def _note(self, told: dict[str, Any]) -> None:
        method, params = told["method"], told["params"]
        if method == "Runtime.exceptionThrown":
            self.errors.append(json.dumps(params["exceptionDetails"])[:600])
        elif method == "Runtime.consoleAPICalled" and params["type"] == "error":
            self.errors.append(
                json.dumps([value.get("value") or value.get("description") for value in params["args"]])[:600]
            )
        elif method == "Log.entryAdded" and params["entry"]["level"] == "error":
            self.errors.append(f"{params['entry']['text']} {params['entry'].get('url', '')}")
        elif method == "Network.requestWillBeSent":
            url = urlsplit(params["request"]["url"])
            if url.scheme in ("http", "https", "ws", "wss"):
                self.hosts.add(url.hostname or "")

    def open(self, url: str) -> None:
        self.send("Page.navigate", url=url)

    def look(self, *, width: int, height: int = 900, dark: bool = False) -> None:
        """Set the size of the page and the theme that its reader prefers."""
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        theme = "dark" if dark else "light"
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": theme}])

    def ask(self, script: str) -> Any:
        """The value of a JavaScript expression that may use `every(selector)` and `words()`."""
        told = self.send(
            "Runtime.evaluate", expression=f"(() => {{ {DEEP}; return ({script}); }})()", returnByValue=True
        )
        assert "exceptionDetails" not in told, told["exceptionDetails"]
        return told["result"].get("value")

    def wait(self, script: str, limit_s: float = 120) -> Any:
        """The first value of a script that is true; fails with what the page says when none comes."""
        until = time.monotonic() + limit_s
        while time.monotonic() < until:
            if found := self.ask(script):
                return found
            time.sleep(0.1)
        raise AssertionError(f"{script} did not come true; the page says: {self.ask('words()')[:2000]}; {self.errors}")

    def wait_words(self, *texts: str, limit_s: float = 120) -> str:
        """The page's words once they hold each text."""
        self.wait(f"{json.dumps(texts)}.every(text => words().includes(text))", limit_s)
        return str(self.ask("words()"))

    def press(self, key: str) -> None:
        for kind in ("keyDown", "keyUp"):
            text = {"text": "\r"} if key == "Enter" and kind == "keyDown" else {}
            self.send(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=13 if key == "Enter" else 0,
                **text,
            )

    def type(self, text: str) -> None:
        self.send("Input.insertText", text=text)

    def picture(self, file: Path) -> None:
        """Write the visible page as a PNG."""
        told = self.send("Page.captureScreenshot", format="png")
        file.write_bytes(base64.b64decode(told["data"]))

    def close(self) -> None:
        self._socket.close()
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()


def _port(file: Path, process: subprocess.Popen[bytes]) -> int:
    until = time.monotonic() + 60
    while time.monotonic() < until and process.poll() is None:
        if file.is_file() and (text := file.read_text().split()):
            return int(text[0])
        time.sleep(0.05)
    process.kill()
    raise AssertionError(f"Chromium did not open its port; exit code {process.poll()}, {os.listdir(file.parent)}")
