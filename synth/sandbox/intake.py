"""What is refused, or decided, before anything runs."""

from __future__ import annotations

from collections.abc import Sequence

from synth.sandbox.case import Test
from synth.sandbox.casefile import packed
from synth.sandbox.judging import Seen, Sight
from synth.sandbox.limits import Limits
from warehouse.errors import UserError
from warehouse.records import Judgement

_REPLAYED = (Judgement.PASS, Judgement.WRONG, Judgement.EXCEPTION)
STDIN_BYTES = 4 << 20
"""Longest standard input of a test, bytes."""
BYTE_ORDER_MARK = "\ufeff"
"""Allowed before a program, as Python allows it before a file."""


def tests(given: Sequence[Test], entry: str) -> tuple[Test, ...]:
    """The tests, checked; raises `UserError` for none at all, no entry to call, or values that cannot be sent."""
    checked = tuple(given)
    if not checked:
        raise UserError("no tests: a program cannot be judged by none; give at least one Test")
    for number, test in enumerate(checked, 1):
        if not isinstance(test, Test):
            raise UserError(f"test {number} is a {type(test).__name__}; allowed: synth.sandbox.Test")
        if test.stdin is None and not (entry or test.entry or test.through):
            raise UserError(f"test {number} calls nothing; give entry= the name of a function")
        packed([list(test.args), dict(test.kwargs), test.methods], f"input of test {number}")
        packed(test.expected, f"expected of test {number}")
        if test.stdin is not None and len(test.stdin) > STDIN_BYTES:
            raise UserError(f"stdin of test {number} is {len(test.stdin)} long; allowed: {STDIN_BYTES}")
    return checked


def program(given: str | bytes, limits: Limits) -> tuple[str, Seen | None]:
    """The program's text, and the verdict when it can be given without running anything."""
    if isinstance(given, bytes):
        try:
            given = given.decode("utf-8")
        except UnicodeDecodeError as error:
            return "", Seen(Judgement.LOAD_ERROR, f"program is not UTF-8: {error.reason} at byte {error.start}")
    given = given.removeprefix(BYTE_ORDER_MARK)
    size = len(given) if len(given) > limits.program_bytes else len(given.encode("utf-8", "surrogatepass"))
    if size > limits.program_bytes:
        return "", Seen(Judgement.LOAD_ERROR, f"program is {size} bytes long; allowed: {limits.program_bytes}")
    return given, None


def replayable(sight: Sight) -> bool:
    """Whether other seeds could change what was seen: not after a limit was met, or when nothing was seen."""
    return all(seen.verdict in _REPLAYED for seen in sight.seen)
