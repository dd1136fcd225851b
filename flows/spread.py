"""Evidence gathered by several workers at once: threads, processes or Ray, as the settings say, with one result."""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from functools import lru_cache
from typing import Any

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.context import TaskRunContext
from prefect.futures import PrefectFuture
from prefect.settings import PREFECT_API_URL, temporary_settings
from prefect.task_runners import ProcessPoolTaskRunner, TaskRunner, ThreadPoolTaskRunner

from flows.settings import Settings
from synth.ahead import Ahead, examine_ahead
from synth.graders import Judge
from synth.proposals import Request
from warehouse.errors import GradatimError, UserError

SMALLEST, LARGEST = 256, 1024
"""Attempts in one batch."""
AHEAD = 2
"""Batches in the hands of each worker: one at work, one waiting."""

Runner = TaskRunner[Any]


class WorkerLost(GradatimError):
    """A batch lost its worker twice."""


@lru_cache(maxsize=1)
def _judge() -> Judge:
    """The judge of this process, closed with it."""
    judge = Judge(workers=1)
    atexit.register(judge.close)
    return judge


def examine_batch(requests: Sequence[Request]) -> list[Ahead]:
    """Evidence for each request of a batch, with this worker's own judge."""
    return [examine_ahead(request, _judge()) for request in requests]


def batches_of(requests: Sequence[Request], workers: int) -> list[tuple[Request, ...]]:
    """Requests in order, put together into batches of `SMALLEST` to `LARGEST` attempts, four for each worker.

    Handing a batch out costs some 60 ms, under 5 % of the work in the smallest one.
    """
    size = min(LARGEST, max(SMALLEST, sum(request.n for request in requests) // (4 * workers)))
    batches: list[tuple[Request, ...]] = []
    held: list[Request] = []
    for request in requests:
        held.append(request)
        if sum(one.n for one in held) >= size:
            batches.append(tuple(held))
            held = []
    return [*batches, tuple(held)] if held else batches


examine_task = task(name="examine", cache_policy=NO_CACHE, persist_result=False)(examine_batch)


def runner_of(settings: Settings) -> Runner:
    """The task runner that the settings name. Raises `UserError` when Ray is asked for and not installed."""
    if settings.task_runner == "threads":
        return ThreadPoolTaskRunner(max_workers=settings.workers)
    if settings.task_runner == "processes":
        return ProcessPoolTaskRunner(max_workers=settings.workers)
    try:
        from prefect_ray import RayTaskRunner
    except ImportError as error:
        raise UserError(
            "GRADATIM_TASK_RUNNER is 'ray', and prefect-ray is missing: pip install 'gradatim[ray]'"
        ) from error
    local = {"num_cpus": settings.workers, "include_dashboard": False, "log_to_driver": False}
    runner: Runner = RayTaskRunner(address=settings.ray_address, init_kwargs={} if settings.ray_address else local)
    return runner


@contextmanager
def spread(settings: Settings, requests: Sequence[Request]) -> Iterator[Callable[[Request], Ahead]]:
    """Evidence for `requests`, gathered ahead of being asked for, to be asked for in their order.

    A batch whose worker dies is given to another once. Raises `WorkerLost` when that one dies too.
    """
    with _one_server(settings):
        crew = _Crew(settings, requests)
        try:
            yield crew.take
        finally:
            crew.close()


class _Crew:
    """The workers of one run, the batches in their hands, and evidence that is there and not yet asked for."""

    def __init__(self, settings: Settings, requests: Sequence[Request]) -> None:
        self._settings, self._waiting = settings, batches_of(requests, settings.workers)
        self._hands: dict[tuple[Request, ...], PrefectFuture[list[Ahead]]] = {}
        self._found: dict[Request, Ahead] = {}
        self._lost: set[tuple[Request, ...]] = set()
        self._runner = runner_of(settings).__enter__()

    def take(self, request: Request) -> Ahead:
        """The evidence for `request`, waited for when it is not there yet."""
        while request not in self._found:
            self._fill()
            batch = next(held for held in self._hands if request in held)
            try:
                found = self._hands[batch].result()
            except Exception as error:
                if not _died(error):
                    raise
                self._replace(batch, error)
            else:
                del self._hands[batch]
                self._found.update(zip(batch, found, strict=True))
                self._fill()
        return self._found.pop(request)

    def close(self) -> None:
        """Let the workers go."""
        self._runner.__exit__(None, None, None)

    def _fill(self) -> None:
        while self._waiting and len(self._hands) < AHEAD * self._settings.workers:
            self._give(self._waiting.pop(0))

    def _give(self, batch: tuple[Request, ...]) -> None:
        with _light():
            self._hands[batch] = self._runner.submit(examine_task, parameters={"requests": batch})

    def _replace(self, batch: tuple[Request, ...], error: Exception) -> None:
        """New workers for what the dead ones had in their hands."""
        if batch in self._lost:
            first = batch[0]
            raise WorkerLost(
                f"the batch from {first.family} level {first.level} place {first.start} lost its worker twice "
                f"({type(error).__name__}); see: gradatim doctor"
            ) from error
        self._lost.add(batch)
        self.close()
        self._runner = runner_of(self._settings).__enter__()
        for held in list(self._hands):
            self._give(held)


@contextmanager
def _light() -> Iterator[None]:
    """The context of this task without its arguments: the open store stays here when a batch goes to a process."""
    here = TaskRunContext.get()
    if here is None:
        yield
        return
    with here.model_copy(update={"parameters": {}}):
        yield


def _died(error: Exception) -> bool:
    """Whether a worker is gone, as its pool or Ray says it."""
    return isinstance(error, BrokenExecutor) or any(
        kind.__module__.startswith("ray.")
        and kind.__name__ in ("WorkerCrashedError", "NodeDiedError", "ObjectLostError")
        for kind in type(error).__mro__
    )


@contextmanager
def _one_server(settings: Settings) -> Iterator[None]:
    """One Prefect server for all workers: processes are told where the embedded one listens."""
    if settings.task_runner == "threads" or PREFECT_API_URL.value():
        yield
        return
    from flows.serving.embedded import start_embedded

    url = start_embedded()
    os.environ["PREFECT_API_URL"] = url
    try:
        with temporary_settings({PREFECT_API_URL: url}):
            yield
    finally:
        del os.environ["PREFECT_API_URL"]
