"""Writers and readers as processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

WRITERS = Path(__file__).parent / "writers.py"
ROOT = Path(__file__).parents[2]


def start(kind: str, home: Path, n: int, who: int, **extra: str) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT), **extra}
    command = [sys.executable, str(WRITERS), kind, str(home), str(n), str(who)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=env)


def finish(processes: list[subprocess.Popen[str]], timeout: float = 500) -> list[str]:
    outs = []
    for process in processes:
        out, err = process.communicate(timeout=timeout)
        assert process.returncode == 0, err
        outs.append(out)
    return outs
