"""Workers that batches of one kind of work are handed to: threads, processes or Ray, as the settings say."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from prefect.context import TaskRunContext
from prefect.futures import PrefectFuture
from prefect.settings import PREFECT_API_URL, temporary_settings
from prefect.task_runners import ProcessPoolTaskRunner, TaskRunner, ThreadPoolTaskRunner

from flows.settings import Settings
from warehouse.errors import GradatimError, UserError

AHEAD = 2
"""Batches in the hands of each worker: one at work, one waiting."""

Runner = TaskRunner[Any]
B = TypeVar("B", bound=Hashable)
R = TypeVar("R")


class WorkerLost(GradatimError):
    """A batch lost its worker twice."""


class NoWorkers(GradatimError):
    """The workers that the settings name did not start."""


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


def _entered(settings: Settings) -> Runner:
    """Workers that are up. Raises `NoWorkers` where none come up, a cluster that does not answer say."""
    runner = runner_of(settings)
    try:
        return runner.__enter__()
    except Exception as error:
        said = " ".join(str(error).split())[:200]
        raise NoWorkers(
            f"no workers came up for GRADATIM_TASK_RUNNER={settings.task_runner}: {said}; "
            "GRADATIM_TASK_RUNNER=threads needs none"
        ) from error


@contextmanager
def crew(
    settings: Settings, work: Any, batches: Sequence[B], *, name: Callable[[B], str]
) -> Iterator[Callable[[B], Any]]:
    """Workers that do the Prefect task `work` on `batches` in their order, ahead of being asked for each result.

    A batch whose worker dies is given to another once. Raises `WorkerLost`, with the `name` of the batch, when that one
    dies too.
    """
    with _one_server(settings):
        hands: _Crew[B, Any] = _Crew(settings, work, batches, name)
        try:
            yield hands.take
        finally:
            hands.close()


class _Crew(Generic[B, R]):
    """The workers of one run, and the batches in their hands."""

    def __init__(self, settings: Settings, work: Any, batches: Sequence[B], name: Callable[[B], str]) -> None:
        self._settings, self._work, self._name = settings, work, name
        self._waiting = list(batches)
        self._hands: dict[B, PrefectFuture[R]] = {}
        self._lost: set[B] = set()
        self._runner = _entered(settings)

    def take(self, batch: B) -> R:
        """What came of `batch`, waited for when it is not there yet."""
        while True:
            self._fill()
            try:
                found = self._hands[batch].result()
            except Exception as error:
                if not _died(error):
                    raise
                self._replace(batch, error)
            else:
                del self._hands[batch]
                self._fill()
                return found

    def close(self) -> None:
        """Let the workers go."""
        self._runner.__exit__(None, None, None)

    def _fill(self) -> None:
        while self._waiting and len(self._hands) < AHEAD * self._settings.workers:
            self._give(self._waiting.pop(0))

    def _give(self, batch: B) -> None:
        with _light():
            self._hands[batch] = self._runner.submit(self._work, parameters={"batch": batch})

    def _replace(self, batch: B, error: Exception) -> None:
        """New workers for what the dead ones had in their hands."""
        if batch in self._lost:
            raise WorkerLost(
                f"{self._name(batch)} lost its worker twice ({type(error).__name__}); see: gradatim doctor"
            ) from error
        self._lost.add(batch)
        self.close()
        self._runner = _entered(self._settings)
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
