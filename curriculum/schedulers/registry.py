"""Where schedulers are found by name: ours by module, third parties' by the entry point group gradatim.schedulers."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Mapping
from typing import Protocol, TypeVar, cast

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from curriculum.schedulers.protocol import Pool, Scheduler
from synth.registry import Registry, defining_file
from warehouse.errors import UserError
from warehouse.records import JsonValue


class SchedulerConfig(BaseModel):
    """Settings that every scheduler knows."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    group: int = Field(8, ge=2, le=4096)
    """Rollouts in a group (`num_generations`)."""


class Factory(Protocol):
    """A scheduler class: builds one from a pool, its settings and a seed."""

    name: str

    def __call__(self, pool: Pool, config: Mapping[str, JsonValue] | None = None, seed: int = 0) -> Scheduler: ...


SchedulerClass = TypeVar("SchedulerClass", bound=type)


def _load_own() -> None:
    import curriculum.schedulers as package

    for module in pkgutil.iter_modules(package.__path__, "curriculum.schedulers."):
        importlib.import_module(module.name)


SCHEDULERS: Registry[Factory] = Registry(
    "scheduler", group="gradatim.schedulers", see="gradatim simulate --help", load=_load_own
)


def scheduler(name: str) -> Callable[[SchedulerClass], SchedulerClass]:
    """Class decorator that registers a scheduler class under `name`.

    The class takes (pool, config, seed), follows `Scheduler`, and refuses an empty pool through `require_tasks`.
    """

    def register(cls: SchedulerClass) -> SchedulerClass:
        factory = cast(Factory, cls)
        factory.name = name
        SCHEDULERS.add(name, factory, file=defining_file(cls))
        return cls

    return register


def get(name: str) -> Factory:
    """The factory of the scheduler called `name`; `UserError` with the nearest names when there is none."""
    return SCHEDULERS.get(name)


def names() -> list[str]:
    """Every registered scheduler's name, sorted."""
    return SCHEDULERS.names()


def check_scheduler(name: str, config: Mapping[str, JsonValue]) -> None:
    """Let the scheduler called `name` draw once from a pool of one task, so that what it refuses is told at once.

    Raises `UserError` for an unknown name and one that needs what only the simulator has, and `ValueError` for a
    setting that is unknown or out of range.
    """
    one = np.zeros(1, dtype=np.int32)
    pool = Pool(np.array(["task"], dtype=object), one, ("family/0/source",), one, one, np.ones(1))
    try:
        get(name)(pool, config, 0).draw(1, 0)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(["scheduler_config", *map(str, first["loc"])])
        raise ValueError(f"{place} of scheduler '{name}' is {first['input']!r}: {first['msg']}") from error


def require_tasks(pool: Pool) -> None:
    """Raise `UserError` for an empty pool: there is nothing to draw."""
    if len(pool) == 0:
        raise UserError(
            "the pool holds 0 tasks, a scheduler needs at least 1; see: gradatim sql 'select * from current_tasks'"
        )
