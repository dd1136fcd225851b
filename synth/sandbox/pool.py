"""The door to the sandbox: a pool of workers that judges programs from any thread."""

from __future__ import annotations

import os
import queue
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Literal

from synth.sandbox import backends, intake, summary
from synth.sandbox.case import Test
from synth.sandbox.farside import Backend
from synth.sandbox.judging import Question, Sight
from synth.sandbox.limits import PATIENCE, Limits
from synth.sandbox.placement import kept_on, shares
from synth.sandbox.result import Ran, Result
from synth.sandbox.worker import Worker
from warehouse.errors import UserError

Isolation = Literal["shared", "fresh"]


@dataclass(frozen=True, slots=True)
class Job:
    """One program to judge, as `Pool.verify` takes it."""

    program: str | bytes
    tests: Sequence[Test]
    entry: str = ""
    isolation: Isolation = "shared"
    replays: int = 0
    limits: Limits | None = None


class Pool:
    """Workers that run untrusted programs; a context manager, usable from any thread.

    More workers than 8 a processor are not started: beyond that, waiting for a turn would look like sleeping.
    `backend` names one of `synth.sandbox.BACKENDS`; by default the strongest that works here. Raises
    `SandboxUnavailable` when none works.

    >>> with Pool(workers=1) as pool:
    ...     pool.verify("def f(x): return x + 1", [Test(args=(1,), expected=2)], entry="f").verdict.value
    'PASS'
    """

    def __init__(self, workers: int = 1, limits: Limits | None = None, *, backend: str | None = None) -> None:
        if not 1 <= workers <= 1024:
            raise UserError(f"workers is {workers}; allowed: 1 to 1024")
        self.limits = limits or Limits()
        self.backend: Backend = backends.choose(backend)
        most = int(PATIENCE) * len(os.sched_getaffinity(0))
        self._workers = [Worker(self.backend, share) for share in shares(min(workers, most))]
        self._idle: queue.LifoQueue[Worker] = queue.LifoQueue()
        for worker in self._workers:
            self._idle.put(worker)
        self._owner = os.getpid()
        self._closed = threading.Event()

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Waits for executions in progress, then ends every worker."""
        if self._closed.is_set() or os.getpid() != self._owner:
            return
        self._closed.set()
        for _ in self._workers:
            self._idle.get().close()

    def verify(
        self,
        program: str | bytes,
        tests: Sequence[Test],
        *,
        entry: str = "",
        isolation: Isolation = "shared",
        replays: int = 0,
        limits: Limits | None = None,
    ) -> Result:
        """The verdict on `program` under `tests`, which call `entry` unless a test says otherwise.

        `isolation="fresh"` runs each call in a process of its own. `replays` more runs on other hash and random
        seeds must agree, else `UNSTABLE`. Raises `UserError` for tests that can decide nothing; whatever the
        program is or does ends in a verdict.
        """
        return self.judge(Job(program, tests, entry, isolation, replays, limits))

    def judge(self, job: Job) -> Result:
        """The result of one job."""
        limits = job.limits or self.limits
        tests = intake.tests(job.tests, job.entry)
        if not 0 <= job.replays <= 32:
            raise UserError(f"replays is {job.replays}; allowed: 0 to 32")
        source, problem = intake.program(job.program, limits)
        question = Question(source, tests, job.entry, job.isolation == "fresh", limits)
        if problem is not None:
            return summary.result(question, [Sight([problem], 0.0, True)])
        return summary.result(question, self._looks(question, job.replays))

    def verify_many(self, jobs: Iterable[Job]) -> list[Result]:
        """The results of the jobs, in their order, using all workers."""
        with ThreadPoolExecutor(len(self._workers), thread_name_prefix="sandbox") as threads:
            return list(threads.map(self.judge, jobs))

    def run(self, program: str | bytes, calls: Sequence[Test], *, entry: str = "", limits: Limits | None = None) -> Ran:
        """What a program of trusted origin (a reference) gives for `calls`; nothing is compared."""
        limits = limits or self.limits
        tests = intake.tests(calls, entry)
        source, problem = intake.program(program, limits)
        question = Question(source, tests, entry, False, limits, judge=False)
        sight = Sight([problem], 0.0, True) if problem is not None else self._looks(question, 0)[0]
        return summary.ran(question, sight)

    def _looks(self, question: Question, replays: int) -> list[Sight]:
        if self._closed.is_set() or os.getpid() != self._owner:
            raise UserError(
                "this Pool is closed, or belongs to the process that this one was forked from; make another"
            )
        worker = self._idle.get()
        try:
            with kept_on(worker.processors):
                sights = [worker.look(question, hash_seed=0, seed=0)]
                if intake.replayable(sights[0]):
                    sights += [worker.look(question, hash_seed=seed, seed=seed) for seed in range(1, replays + 1)]
                return sights
        finally:
            self._idle.put(worker)
