"""A log of interactions as it lies on disk: one JSON object a line; a bad line is refused and the next one read."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from synth.importers.reading import read_lines
from synth.traces.trace import Trace, read_trace


class Log(NamedTuple):
    """What each line became, in order: a masked trace, or the reason why none; the file's SHA-256."""

    sha256: str
    rows: tuple[Trace | str, ...]
    cut: str | None = None
    """What is wrong with the file as a whole: its end is missing."""


def read_log(path: Path | str, *, limit: int | None = None) -> Log:
    """The log at `path`, plain or gzipped, at most `limit` lines; raises `UserError` when there is no such file.

    Nothing in it is quoted in a reason: what is not masked leaves this function nowhere.
    """
    lines = read_lines(path, limit=limit)
    rows = tuple(read_trace(row) if isinstance(row, dict) else f"trace: {row}" for row in lines.rows)
    return Log(lines.sha256, rows, lines.cut)
