"""Checks what linters do not: file sizes and folder depth; prints each breach and exits 1 when there is one."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

MAX_LINES = 400
MAX_DEPTH = 4
NAMELESS = {"utils.py", "helpers.py", "common.py", "manager.py", "misc.py"}


def breaches(path: Path) -> list[str]:
    """What is wrong with one tracked Python file."""
    found = []
    n_lines = len(path.read_text(encoding="utf-8").splitlines())
    if n_lines > MAX_LINES:
        found.append(f"{path}: {n_lines} lines, at most {MAX_LINES}: it likely holds two ideas")
    if path.name in NAMELESS:
        found.append(f"{path}: a file is named after its idea")
    if len(path.parts) > MAX_DEPTH:
        found.append(f"{path}: {len(path.parts) - 1} folders deep, at most {MAX_DEPTH - 1}")
    return found


def main() -> int:
    """0 when the tree is in order, 1 otherwise."""
    tracked = subprocess.run(["git", "ls-files", "*.py"], check=True, capture_output=True, text=True).stdout.split()
    found = [line for name in tracked if Path(name).exists() for line in breaches(Path(name))]
    print("\n".join(found) if found else f"{len(tracked)} files in order")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
