"""A registry of named things that satisfy a protocol: families, schedulers, detectors, graders, checks, engines."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Iterator
from importlib.metadata import entry_points
from typing import Generic, TypeVar

from warehouse.errors import GradatimError, unknown_name

T = TypeVar("T")


class NameTaken(GradatimError):
    """Two definitions claim one name; the message names both files."""


class Registry(Generic[T]):
    """Named things of one kind, added by decorator or by third parties through an entry point group.

    `load` imports our own modules on first use, so that looking a name up needs no central list. A thread that comes
    while another one loads waits for the whole: half a registry of checks would admit tasks by half of the evidence.
    """

    def __init__(self, what: str, *, group: str, see: str, load: Callable[[], None]) -> None:
        self._what, self._group, self._see, self._load = what, group, see, load
        self._things: dict[str, T] = {}
        self._files: dict[str, str] = {}
        self._loaded = self._loading = False
        self._lock = threading.RLock()

    def add(self, name: str, thing: T, *, file: str) -> None:
        """Register `thing`; raises `NameTaken` when another file holds `name`."""
        if name in self._things:
            raise NameTaken(f"{self._what} '{name}' is defined twice: {self._files[name]} and {file}")
        self._things[name] = thing
        self._files[name] = file

    def get(self, name: str) -> T:
        """The thing called `name`; raises `UserError` with the nearest names when there is none."""
        self._fill()
        if name not in self._things:
            raise unknown_name(self._what, name, self._things, self._see)
        return self._things[name]

    def names(self) -> list[str]:
        """All names, sorted."""
        self._fill()
        return sorted(self._things)

    def __iter__(self) -> Iterator[T]:
        return iter([self._things[name] for name in self.names()])

    def _fill(self) -> None:
        if self._loaded:
            return
        with self._lock:
            if self._loaded or self._loading:
                return
            self._loading = True
            try:
                self._load()
                for point in entry_points(group=self._group):
                    point.load()
            finally:
                self._loading = False
            self._loaded = True


def defining_file(thing: object) -> str:
    """The file a class or function is defined in, for error messages."""
    try:
        return inspect.getfile(thing)  # type: ignore[arg-type]
    except TypeError:
        return "<unknown>"
