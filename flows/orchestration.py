"""How gradatim uses Prefect: no result cache, since a row in the warehouse is the only 'done'."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import ParamSpec, TypeVar

from flows.room import make_room

if "PREFECT_HOME" in os.environ:
    make_room(Path(os.environ["PREFECT_HOME"]))

from prefect import flow, task
from prefect.cache_policies import NO_CACHE

P = ParamSpec("P")
R = TypeVar("R")


def step(name: str, *, retries: int = 0) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A Prefect task around one step; `retries` only where repeating the step is a no-op once it is done."""

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        wrapped: Callable[P, R] = task(
            name=name, cache_policy=NO_CACHE, persist_result=False, retries=retries, retry_delay_seconds=2
        )(function)
        return wrapped

    return wrap


def verb_flow(name: str) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """A Prefect flow whose parameters are validated and whose result is not persisted."""

    def wrap(function: Callable[P, R]) -> Callable[P, R]:
        wrapped: Callable[P, R] = flow(name=name, persist_result=False, validate_parameters=True)(function)
        return wrapped

    return wrap
