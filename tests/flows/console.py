"""Several verbs of one home in one process: what they load, and the server of their flows, start once."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Timer

ANSWER = "answer:"
READER = f"""
import io, json, sys
from contextlib import redirect_stderr, redirect_stdout
from flows.cli import main
for line in sys.stdin:
    sys.argv[1:] = json.loads(line)
    with redirect_stdout(io.StringIO()) as out, redirect_stderr(io.StringIO()) as err:
        try:
            main()
            code = 0
        except SystemExit as left:
            code = left.code or 0
    print({ANSWER!r} + json.dumps([code, out.getvalue(), err.getvalue()]), flush=True)
"""


@contextmanager
def console(home: Path, *, timeout: float = 900) -> Iterator[Callable[..., tuple[int, str, str]]]:
    """Runs verbs one after the other: ask(*arguments) -> (code, out, err); after `timeout` seconds all is ended."""
    command = [sys.executable, "-c", READER]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        watch = Timer(timeout, process.kill)
        watch.start()

        def ask(*arguments: str) -> tuple[int, str, str]:
            process.stdin.write(json.dumps(["--home", str(home), *arguments]) + "\n")
            process.stdin.flush()
            for line in process.stdout:
                if line.startswith(ANSWER):
                    return tuple(json.loads(line.removeprefix(ANSWER)))
            raise EOFError(f"the process ended with code {process.wait()} during {arguments}")

        try:
            yield ask
        finally:
            process.stdin.close()
            process.wait()
            watch.cancel()
