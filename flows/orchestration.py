"""How gradatim uses Prefect: no result cache, since a row in the warehouse is the only 'done'."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from flows.room import make_room

if "PREFECT_HOME" in os.environ:
    make_room(Path(os.environ["PREFECT_HOME"]))

from prefect import Flow, task
from prefect.cache_policies import NO_CACHE
from prefect.context import FlowRunContext
from prefect.settings import PREFECT_API_URL

from flows.brief import events_sent_briefly, send_events_briefly
from flows.orphans import end_orphans
from trainer.errors import StageKilled
from warehouse.failures import WarehouseFailed

send_events_briefly()

P = ParamSpec("P")
R = TypeVar("R")

GPU, UPKEEP = "gpu", "warehouse-upkeep"
"""Tags of tasks that share something of which there is one; a server limits how many of them run at once."""
LIMITS = {GPU: 1, UPKEEP: 1}
"""Tasks of a tag that run at once, on a server that says nothing else."""
TRANSIENT = (StageKilled, WarehouseFailed, ConnectionError, TimeoutError)
"""Failures that may be gone the next time."""
DELAY_S = 2


def step(name: str, *, retries: int = 0, shares: str | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A Prefect task around one step that holds what it `shares` while it runs.

    `retries`, only where repeating the step is a no-op once it is done, are made of `TRANSIENT` failures alone.
    """

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        wrapped: Callable[P, R] = task(
            name=name,
            tags=[shares] if shares else [],
            cache_policy=NO_CACHE,
            persist_result=False,
            retries=retries,
            retry_delay_seconds=DELAY_S,
            retry_condition_fn=_may_pass if retries else None,
        )(function)
        return wrapped

    return wrap


def _may_pass(of: Any, run: Any, state: Any) -> bool:
    """Whether a failed task may end well the next time."""
    return isinstance(state.data, TRANSIENT)


class VerbFlow(Flow[P, R]):
    """A flow that, called outside a deployment, first ends what a killed run left and has its embedded server up."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if FlowRunContext.get():
            return super().__call__(*args, **kwargs)
        if "PREFECT_HOME" in os.environ:
            end_orphans(Path(os.environ["PREFECT_HOME"]))
        if PREFECT_API_URL.value():
            return super().__call__(*args, **kwargs)
        from flows.serving.embedded import start_embedded

        with events_sent_briefly(start_embedded()):
            return super().__call__(*args, **kwargs)


def verb_flow(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A Prefect flow whose parameters are validated and whose result is not persisted."""

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        return VerbFlow(function, name=name, persist_result=False, validate_parameters=True)

    return wrap
