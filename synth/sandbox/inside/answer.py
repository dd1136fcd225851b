"""What a candidate's process is asked: to load a program, call it, run it as a script, or examine another one."""

from __future__ import annotations

import atexit
import io
import os
import sys
import threading
import types
from collections.abc import Callable, ItemsView, Iterator, KeysView, ValuesView
from typing import Any

from .tree import Tree, pack, unpack

FILE = "<program>"


class MissingEntry(Exception):
    """The program does not define what the tests call, or it cannot be called."""


class CandidateFailed(Exception):
    """In an examiner: the candidate gave no value; the judge knows why."""


class TooMuchOutput(Exception):
    """An answer, or what a script wrote, is larger than the limit allows."""


def redirect() -> None:
    """Puts memory files in place of standard input and output, as a script wants them."""
    for descriptor in (0, 1):
        memory = os.memfd_create("std")
        os.dup2(memory, descriptor)
        os.close(memory)


def _text(descriptor: int, mode: str) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.open(descriptor, mode, closefd=False), encoding="utf-8")  # noqa: UP020


def _iterated(value: Any) -> Tree:
    """As `pack`, and a lazy sequence as the tuple of its items."""
    if isinstance(value, Iterator | range | KeysView | ValuesView | ItemsView):
        value = tuple(value)
    return pack(value)


_PACKERS: dict[str, Callable[[Any], Tree]] = {"value": pack, "truth": bool, "items": _iterated}


class Program:
    """The candidate's program in this process, and the ways in which it is questioned."""

    def __init__(self, exchange: Callable[[dict[str, Any]], dict[str, Any]], output_bytes: int) -> None:
        self._exchange = exchange
        self._output_bytes = output_bytes
        self._names: dict[str, Any] = {}

    def answer(self, request: dict[str, Any]) -> Tree:
        """The answer to one request, packed; whatever the program raises comes through."""
        kind = request["do"]
        if kind == "load":
            return self._load(request["source"], request["entries"])
        if kind == "script":
            return self._script(request["source"], unpack(request["stdin"]), request["output_bytes"])
        if kind == "check":
            return self._check(request)
        args, kwargs = unpack(request["args"]), unpack(request["kwargs"])
        made = self._resolve(request["entry"])(*args, **kwargs)
        if kind == "call":
            self._fits(made)
            return _PACKERS[request["as"]](made)
        return pack([getattr(made, name)(*unpack(arguments)) for name, arguments in request["methods"]])

    def _fits(self, made: Any) -> None:
        if type(made) in (str, bytes, bytearray, list, tuple) and len(made) > self._output_bytes:
            raise TooMuchOutput

    def _load(self, source: str, entries: list[str]) -> None:
        module = types.ModuleType("program")
        module.__dict__["__file__"] = FILE
        sys.modules["program"] = module
        self._names = module.__dict__
        exec(compile(source, FILE, "exec", dont_inherit=True), self._names)
        for entry in entries:
            first = entry.split(".")[0]
            if not callable(self._names.get(first)):
                known = "is not callable" if first in self._names else "is not defined"
                raise MissingEntry(f"{entry} {known}")

    def _resolve(self, entry: str) -> Any:
        first, *rest = entry.split(".")
        found = self._names[first]
        for name in rest:
            found = getattr(found() if isinstance(found, type) else found, name)
        return found

    def _script(self, source: str, stdin: bytes, output_bytes: int) -> Tree:
        os.write(0, stdin) if stdin else None
        os.lseek(0, 0, os.SEEK_SET)
        sys.stdin = sys.__stdin__ = _text(0, "rb")  # type: ignore[misc]
        out = _text(1, "wb")
        sys.stdout = sys.__stdout__ = out  # type: ignore[misc]
        module = types.ModuleType("__main__")
        module.__dict__["__file__"] = FILE
        sys.modules["__main__"] = module
        try:
            exec(compile(source, FILE, "exec", dont_inherit=True), module.__dict__)
        except SystemExit as leave:
            if leave.code not in (None, 0):
                raise
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        for stream in (sys.stdout, out):
            if stream is not None and not stream.closed:
                stream.flush()
        size = os.fstat(1).st_size
        if size > output_bytes:
            raise TooMuchOutput
        return pack(os.pread(1, size, 0))

    def _check(self, request: dict[str, Any]) -> None:
        names: dict[str, Any] = {"__name__": "check"}
        exec(compile(request["source"], "<check>", "exec", dont_inherit=True), names)
        examine = names["check"]
        for entry in request["entries"]:
            names[entry] = self._proxy(entry, request["n"])
        examine(self._proxy(request["entries"][0], request["n"]))

    def _proxy(self, entry: str, nonce: str) -> Callable[..., Any]:
        def candidate(*args: Any, **kwargs: Any) -> Any:
            answered = self._exchange({"n": nonce, "ask": entry, "args": pack(args), "kwargs": pack(kwargs)})
            if "v" not in answered:
                raise CandidateFailed
            return unpack(answered["v"])

        return candidate
