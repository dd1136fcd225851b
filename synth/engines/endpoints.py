"""Several servers with one model: the least busy that answers gets the next request."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

REST_S = 1.0
"""Seconds for which an endpoint rests after its first failure; twice as long after each further one."""
LONGEST_REST_S = 60.0


@dataclass(slots=True)
class _Place:
    url: str
    busy: int = 0
    failures: int = 0
    rests_until: float = float("-inf")


class Endpoints:
    """Base URLs, balanced by requests under way; one that failed rests before it is tried again. Safe from threads."""

    def __init__(self, urls: Sequence[str], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._places = [_Place(url.rstrip("/")) for url in urls]
        self._clock, self._lock = clock, threading.Lock()

    def take(self) -> str:
        """The endpoint for the next request: the least busy that does not rest, else the one that rests least long."""
        with self._lock:
            now = self._clock()
            awake = [place for place in self._places if place.rests_until <= now]
            best = min(awake, key=lambda p: p.busy) if awake else min(self._places, key=lambda p: p.rests_until)
            best.busy += 1
            return best.url

    def give_back(self, url: str, *, healthy: bool) -> None:
        """Says that a request to `url` has ended, and whether the server answered at all."""
        with self._lock:
            place = next(place for place in self._places if place.url == url)
            place.busy -= 1
            if healthy:
                place.failures, place.rests_until = 0, float("-inf")
            else:
                rest = min(LONGEST_REST_S, REST_S * 2**place.failures)
                place.failures += 1
                place.rests_until = self._clock() + rest

    @property
    def awake(self) -> list[str]:
        """The endpoints that do not rest."""
        with self._lock:
            return [place.url for place in self._places if place.rests_until <= self._clock()]
