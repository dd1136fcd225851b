"""Bounded retries of a transaction that lost against another on a shared catalog."""

from __future__ import annotations

import random
import time
from collections.abc import Callable, Iterator

import duckdb

ATTEMPTS = 40
FIRST_PAUSE_S = 0.02
LONGEST_PAUSE_S = 1.0

_SIGNS = ("could not serialize", "conflict", "deadlock detected", "duplicate key", "database is locked")


def conflicts(error: duckdb.Error) -> bool:
    """Whether `error` says that another transaction came first, so that trying again is right."""
    text = str(error).lower()
    return any(sign in text for sign in _SIGNS)


def pauses(shared: bool) -> Iterator[Callable[[], bool]]:
    """One item an attempt: a function that waits and says whether another attempt is left.

    A catalog behind the file lock is tried once more at most; a shared one up to 40 times, 0.02 s to 1 s apart.
    """
    attempts = ATTEMPTS if shared else 2
    for attempt in range(attempts):
        yield lambda attempt=attempt: _pause(attempt, attempts)  # type: ignore[misc]


def _pause(attempt: int, attempts: int) -> bool:
    if attempt + 1 >= attempts:
        return False
    time.sleep(random.uniform(0.5, 1.0) * min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2**attempt))
    return True
