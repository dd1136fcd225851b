"""Progress of long work on stderr: a bar on a terminal, a line every ten seconds elsewhere; and on a real server."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import TYPE_CHECKING

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

if TYPE_CHECKING:
    from flows.artifacts import ProgressBar

EVERY_S = 10.0
LEAST_S = 2.0
"""Work that is over sooner says nothing where there is no terminal."""


class Progress:
    """Counts `total` pieces of one kind of work, 0 where nobody knows how many; a context manager."""

    def __init__(self, what: str, *, total: int) -> None:
        self._what, self._total, self._done = what, total, 0
        self._began = self._said = time.monotonic()
        self._bar: Bar | None = None
        self._published: ProgressBar | None = None
        if sys.stderr.isatty():
            columns = (TextColumn("{task.description:<14}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
            said = (TextColumn("{task.fields[rate]}"), TextColumn("{task.fields[note]}"))
            self._bar = Bar(*columns, *said, console=Console(stderr=True))
            self._task = self._bar.add_task(what, total=total or None, note="", rate="")

    def __enter__(self) -> Progress:
        if self._bar:
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar:
            self._bar.stop()
        elif kind is None and (self._total or self._done) and (took := time.monotonic() - self._began) >= LEAST_S:
            self._line(f"done in {took:.0f} s")

    def to(self, done: int, note: str = "") -> None:
        """Say that `done` pieces are finished, with the newest figures in `note`."""
        self._done = done
        if self._bar:
            self._bar.update(self._task, completed=done, note=note, rate=f"{self._rate():.3g}/s")
        if time.monotonic() - self._said >= EVERY_S:
            self._said = time.monotonic()
            self._publish(note)
            if not self._bar:
                self._line(f"{self._pace()} {note}")

    def advance(self, note: str = "") -> None:
        """Say that one more piece is finished."""
        self.to(self._done + 1, note)

    def _publish(self, note: str) -> None:
        """Show the progress on the server that `PREFECT_API_URL` names, when there is one."""
        if self._total and os.environ.get("PREFECT_API_URL"):
            from flows.artifacts import ProgressBar

            self._published = self._published or ProgressBar(self._what)
            self._published.to(100 * self._done / self._total, note)

    def _rate(self) -> float:
        """Pieces a second so far."""
        return self._done / max(1e-9, time.monotonic() - self._began)

    def _pace(self) -> str:
        """The rate, and how long the rest takes at it."""
        rate = self._rate()
        left = f", {(self._total - self._done) / rate:.0f} s left" if self._done and self._total else ""
        return f"{rate:.3g}/s{left}"

    def _line(self, note: str) -> None:
        of = f"/{self._total}" if self._total else ""
        print(f"{self._what}: {self._done}{of} {note}".rstrip(), file=sys.stderr, flush=True)


@contextmanager
def following(what: str) -> Iterator[Callable[[int, int], None]]:
    """What tells of work that knows how much there is once it goes on: to be called with pieces done and in all."""
    with ExitStack() as stack:
        begun: list[Progress] = []

        def tell(done: int, total: int) -> None:
            if not begun:
                begun.append(stack.enter_context(Progress(what, total=total)))
            begun[0].to(done)

        yield tell
