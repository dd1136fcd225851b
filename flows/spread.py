"""Evidence gathered by several workers at once, with one result whoever gathers it."""

from __future__ import annotations

import atexit
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache

from prefect import task
from prefect.cache_policies import NO_CACHE

from flows.crew import crew
from flows.settings import Settings
from synth.ahead import Ahead, examine_ahead
from synth.family import FAMILIES
from synth.graders import Judge
from synth.proposals import Request
from warehouse.records import Domain

SMALLEST, LARGEST = 256, 1024
"""Attempts in one batch whose evidence runs programs; of others it holds `CHEAPER` times as many."""
CHEAPER = 4
"""Attempts at mathematics that cost what one at a program does, at the least."""

Batch = tuple[Request, ...]


@lru_cache(maxsize=1)
def _judge() -> Judge:
    """The judge of this process, closed with it."""
    judge = Judge(workers=1)
    atexit.register(judge.close)
    return judge


def examine_batch(batch: Batch) -> list[Ahead]:
    """Evidence for each request of a batch, with this worker's own judge."""
    return [examine_ahead(request, _judge()) for request in batch]


def batches_of(requests: Sequence[Request], workers: int) -> list[Batch]:
    """Requests in order, put together into batches of `SMALLEST` to `LARGEST` attempts, four for each worker.

    Handing a batch out then costs under 5 % of the work in the smallest one; see: benchmarks/task_runners.py.
    """
    size = min(LARGEST, max(SMALLEST, sum(map(_work, requests)) // (4 * workers)))
    batches: list[Batch] = []
    held: list[Request] = []
    for request in requests:
        held.append(request)
        if sum(map(_work, held)) >= size:
            batches.append(tuple(held))
            held = []
    return [*batches, tuple(held)] if held else batches


def _work(request: Request) -> float:
    """A request in attempts at programs that cost as much."""
    programs = FAMILIES.get(request.family).domain is Domain.CODE
    return request.n if programs else request.n / CHEAPER


examine_task = task(name="examine", cache_policy=NO_CACHE, persist_result=False)(examine_batch)


@contextmanager
def spread(settings: Settings, requests: Sequence[Request]) -> Iterator[Callable[[Request], Ahead]]:
    """Evidence for `requests`, gathered ahead of being asked for, to be asked for in their order.

    A batch whose worker dies is given to another once. Raises `WorkerLost` when that one dies too.
    """
    batches = batches_of(requests, settings.workers)
    holding = {request: batch for batch in batches for request in batch}
    found: dict[Request, Ahead] = {}
    with crew(settings, examine_task, batches, name=_name) as take:

        def ahead(request: Request) -> Ahead:
            if request not in found:
                batch = holding[request]
                found.update(zip(batch, take(batch), strict=True))
            return found.pop(request)

        yield ahead


def _name(batch: Batch) -> str:
    first = batch[0]
    return f"the batch from {first.family} level {first.level} place {first.start}"
