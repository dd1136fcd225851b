"""Which processors each worker runs on: the scheduler would crowd the workers of one pool onto a few."""

from __future__ import annotations

import contextlib
import itertools
import os
from collections.abc import Iterator


def shares(workers: int) -> list[frozenset[int]]:
    """A share of this process's processors for each worker, equal within one; all of them where they do not go round.

    >>> sorted(map(len, shares(1))) == [len(os.sched_getaffinity(0))]
    True
    """
    processors = sorted(os.sched_getaffinity(0))
    if workers > len(processors):
        return [frozenset(processors)] * workers
    edges = [len(processors) * worker // workers for worker in range(workers + 1)]
    return [frozenset(processors[first:end]) for first, end in itertools.pairwise(edges)]


@contextlib.contextmanager
def kept_on(share: frozenset[int]) -> Iterator[None]:
    """Keeps the calling thread, and what it starts, on `share` meanwhile; without effect where that is forbidden."""
    before = os.sched_getaffinity(0)
    if before == share:
        yield
        return
    try:
        os.sched_setaffinity(0, share)
    except OSError:
        yield
        return
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)
