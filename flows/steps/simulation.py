"""Schedulers compared in learner worlds, several worlds at a time."""

from __future__ import annotations

import inspect
import multiprocessing
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor

from curriculum.schedulers import SCHEDULERS
from curriculum.simulator import POOLS, Job, Trial, simulate
from flows.progress import Progress
from warehouse.errors import UserError, unknown_name
from warehouse.records import JsonValue

SEE = "gradatim simulate --help"
FIGURES = ("rollouts_to_target", "uniform", "ratio", "low", "high", "oracle_ratio")


def simulated(scheduler: str, pool: str, seeds: str, *, workers: int | None = None) -> Mapping[str, JsonValue]:
    """Rollouts to target of a scheduler against uniform and the oracle over the worlds `seeds`, with a 95 % interval.

    Keys: `FIGURES`, `scheduler`, `pool`, `seeds` and `n_missed`, the worlds whose target was never reached. Results
    do not depend on `workers`, the processes used (one a core by default). Raises `UserError` for unknown names.
    """
    SCHEDULERS.get(scheduler)
    if pool not in POOLS:
        raise unknown_name("pool", pool, POOLS, SEE)
    worlds = seed_range(seeds)
    n_workers = min(workers or len(os.sched_getaffinity(0)), len(worlds))
    with Progress("simulate", total=2 * len(worlds)) as progress:
        if n_workers == 1:
            found = simulate(scheduler, pool, worlds, mapper=_shown(map, progress))
        else:
            spawn = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(n_workers, mp_context=spawn) as processes:
                found = simulate(scheduler, pool, worlds, mapper=_shown(processes.map, progress))
    return {
        **{name: found[name] for name in FIGURES},
        "scheduler": scheduler,
        "pool": pool,
        "seeds": seeds,
        "n_missed": found["n_missed"],
    }


def seed_range(text: str) -> range:
    """The seeds A, A+1, ..., B-1 of `A:B`; raises `UserError` unless 0 <= A < B.

    >>> list(seed_range("3:6"))
    [3, 4, 5]
    """
    first, colon, last = text.partition(":")
    if not (colon and first.isdecimal() and last.isdecimal() and int(first) < int(last)):
        raise UserError(f"seeds '{text}' must be A:B with 0 <= A < B, e.g. 0:8 for 8 worlds; see: {SEE}")
    return range(int(first), int(last))


def scheduler_table() -> list[Mapping[str, object]]:
    """Every registered scheduler and what it does, in one line."""
    return [
        {"scheduler": name, "meaning": (inspect.getdoc(SCHEDULERS.get(name)) or "").partition("\n")[0]}
        for name in SCHEDULERS.names()
    ]


Apply = Callable[[Callable[[Job], Trial], Iterable[Job]], Iterable[Trial]]


def _shown(apply: Apply, progress: Progress) -> Apply:
    """`apply` that tells `progress` of each world as it ends."""

    def counted(function: Callable[[Job], Trial], jobs: Iterable[Job]) -> Iterator[Trial]:
        for trial in apply(function, jobs):
            progress.advance()
            yield trial

    return counted
