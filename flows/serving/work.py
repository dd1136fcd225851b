"""The worker: runs that are due are started as processes of their own until a signal comes; then all are ended."""

from __future__ import annotations

import asyncio
import contextlib
import signal
from collections.abc import Callable

import psutil
from prefect.client.orchestration import get_client
from prefect.client.schemas.actions import WorkPoolCreate
from prefect.exceptions import ObjectNotFound
from prefect.workers.process import ProcessWorker

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GRACE_S = 20.0
"""How long a run that is told to end may take; then it is killed."""


async def make_pool(name: str) -> None:
    """Make the process work pool `name` when the server has none."""
    async with get_client() as client:
        try:
            await client.read_work_pool(name)
        except ObjectNotFound:
            template = ProcessWorker.get_default_base_job_template()
            await client.create_work_pool(WorkPoolCreate(name=name, type="process", base_job_template=template))


def work(pool: str, *, limit: int, ready: Callable[[], None]) -> None:
    """Run what is due in `pool`, at most `limit` runs at once, until a signal; every run still going is ended then.

    A run that is ended is reported as crashed to the server, and goes on from its last finished step when it is
    started again.
    """
    asyncio.run(_work(pool, limit, ready))


async def _work(pool: str, limit: int, ready: Callable[[], None]) -> None:
    stopping, loop, others = asyncio.Event(), asyncio.get_running_loop(), set(_below())
    for number in SIGNALS:
        loop.add_signal_handler(number, stopping.set)
    worker = ProcessWorker(work_pool_name=pool, limit=limit)
    working = asyncio.create_task(worker.start(printer=lambda line: None))
    waiting = asyncio.create_task(stopping.wait())
    ready()
    try:
        await asyncio.wait({working, waiting}, return_when=asyncio.FIRST_COMPLETED)
        if working.done():
            working.result()
    finally:
        waiting.cancel()
        await asyncio.to_thread(_end, [process for process in _below() if process not in others])
        working.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await working
        await asyncio.to_thread(_end, [process for process in _below() if process not in others])


def _below() -> list[psutil.Process]:
    return list(psutil.Process().children(recursive=True))


def _end(processes: list[psutil.Process]) -> None:
    """End processes with their own kind first told, then killed."""
    for process in processes:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.terminate()
    _, left = psutil.wait_procs(processes, timeout=GRACE_S)
    for process in left:
        with contextlib.suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(left, timeout=GRACE_S)
