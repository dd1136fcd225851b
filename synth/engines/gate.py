"""How many requests may be under way: one more for each round that went well, half when the server refuses."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

DECREASE = 0.5
LOOK_S = 0.5
"""Seconds between looks at whether the work was stopped."""


class Gate:
    """Additive increase, multiplicative decrease between 1 and `most`; safe from threads.

    A refusal closes the gate for as long as the server asks for. Several refusals of requests that were sent together
    count once.
    """

    def __init__(self, most: int, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._most, self._clock = most, clock
        self._width = float(most)
        self._busy = 0
        self._refused_at = self._opens_at = clock() - 1.0
        self._turn = threading.Condition()

    @property
    def width(self) -> int:
        """Requests that may be under way now."""
        with self._turn:
            return max(1, int(self._width))

    def enter(self, stop: threading.Event) -> float:
        """Waits for a place, or for `stop`; returns when it was got, to be handed to `leave`."""
        with self._turn:
            while True:
                wait = self._opens_at - self._clock()
                if stop.is_set() or (wait <= 0 and self._busy < max(1, int(self._width))):
                    self._busy += 1
                    return self._clock()
                self._turn.wait(min(LOOK_S, wait) if wait > 0 else LOOK_S)

    def leave(self, entered_at: float, *, refused: bool = False, wait_s: float = 0.0) -> None:
        """Gives the place back; `refused` says that the server had too much to do, `wait_s` for how long."""
        with self._turn:
            self._busy -= 1
            if not refused:
                self._width = min(self._most, self._width + 1 / self._width)
            else:
                if entered_at >= self._refused_at:
                    self._width = max(1.0, self._width * DECREASE)
                    self._refused_at = self._clock()
                self._opens_at = max(self._opens_at, self._clock() + wait_s)
            self._turn.notify_all()
