"""What every step works with: the open store, the judge, and the run that signs each row."""

from __future__ import annotations

import resource
import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from importlib.metadata import version
from pathlib import Path

from flows.settings import Settings
from synth.dedup import Embedder
from synth.graders import Judge
from warehouse.errors import GradatimError
from warehouse.home import Home
from warehouse.records import JsonValue, Record, Run, RunStatus, content_hash
from warehouse.store import Commit, Store

SOFTWARE = ("gradatim", "torch", "transformers", "trl", "duckdb", "prefect")


class Workshop:
    """The open store and judge of one run; `outputs` is what the run leaves behind and where.

    Not a dataclass: the orchestrator copies dataclasses that it finds among a task's arguments.
    """

    def __init__(self, *, settings: Settings, store: Store, judge: Judge, run: str) -> None:
        self.settings, self.store, self.judge, self.run = settings, store, judge, run
        self.outputs: dict[str, JsonValue] = {}

    @cached_property
    def embedder(self) -> Embedder | None:
        """The sentence model that tasks are compared by; none when the settings name none."""
        if self.settings.embedder is None:
            return None
        from trainer.embedder import SentenceEmbedder

        return SentenceEmbedder(self.settings.embedder)

    @property
    def home(self) -> Home:
        """The home the store lies in."""
        return self.store.home

    def commit(self, records: Iterable[Record], *, batch: str, purpose: str) -> Commit:
        """Commit `records` in the name of this run; a batch seen before is a no-op."""
        return self.store.commit(records, batch=batch, purpose=purpose, run=self.run)

    def seen(self, batch: str) -> bool:
        """Whether a batch is already in the warehouse."""
        return bool(self.store.rows("SELECT 1 AS seen FROM batches WHERE batch = $batch", {"batch": batch}))


def code_version() -> str:
    """The versions of gradatim and of what it stands on, as one line."""
    return " ".join(f"{name}={version(name)}" for name in SOFTWARE)


def open_store(settings: Settings, *, read_only: bool = False) -> Store:
    """The warehouse that the settings name."""
    home = settings.place
    store = Store.open(home, read_only=read_only, memory_limit=settings.memory_limit, threads=settings.threads)
    home.remember_once()
    return store


@contextmanager
def looking(settings: Settings) -> Iterator[Workshop]:
    """A workshop that reads: its store refuses every commit, and no run is noted."""
    with open_store(settings, read_only=True) as store, Judge(workers=settings.judge_workers) as judge:
        yield Workshop(settings=settings, store=store, judge=judge, run="")


@contextmanager
def workshop(
    settings: Settings, *, flow: str, config: Mapping[str, JsonValue], campaign_id: str | None = None
) -> Iterator[Workshop]:
    """Everything a run needs, open until it ends; the run's start and end are rows, with the reason of a failure."""
    started = Run(
        run=content_hash(flow, uuid.uuid4().hex),
        campaign_id=campaign_id,
        flow=flow,
        status=RunStatus.STARTED,
        config=dict(config),
        code_version=code_version(),
        started_at=datetime.now(UTC),
    )
    with open_store(settings) as store, Judge(workers=settings.judge_workers) as judge:
        shop = Workshop(settings=settings, store=store, judge=judge, run=started.run)
        shop.commit([started], batch=f"run:{started.run}:started", purpose=f"{flow} started")
        try:
            yield shop
        except GradatimError as error:
            _end(shop, started, RunStatus.FAILED, str(error))
            raise
        except KeyboardInterrupt:
            _end(shop, started, RunStatus.CANCELLED, "interrupted")
            raise
        _end(shop, started, RunStatus.FINISHED, None)


def _end(shop: Workshop, started: Run, status: RunStatus, reason: str | None) -> None:
    ended = replace(
        started,
        status=status,
        finished_at=datetime.now(UTC),
        cpu_s=_cpu_s(),
        outputs=shop.outputs,
        reason=reason,
    )
    shop.commit([ended], batch=f"run:{started.run}:{status}", purpose=f"{started.flow} {status}")


def _cpu_s() -> float:
    """CPU time of this process and of its ended children, in seconds."""
    usages = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


def relative(home: Home, path: Path) -> str:
    """`path` relative to the home, as rows store it: a home can be moved."""
    return str(path.resolve().relative_to(home.root.resolve()))
