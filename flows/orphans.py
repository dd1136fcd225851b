"""What a killed run left behind: its training stage and its embedded server, ended before the next run starts."""

from __future__ import annotations

import os
from pathlib import Path

import psutil

CHILDREN = ("trainer.run", "prefect.server.api.server:create_app", "prefect.engine", "prefect.flow_engine")
"""What marks a process that only a run of ours starts."""

SERVER = ["prefect", "server", "start"]
"""A server that `gradatim serve` starts, as its command line holds it."""

PARENT = "GRADATIM_PARENT"
"""Environment variable in which children carry the process that started them."""

GRACE_S = 10.0


def mark_children() -> None:
    """Let the processes that this one starts say whose children they are."""
    os.environ[PARENT] = str(os.getpid())


def end_orphans(prefect_home: Path) -> int:
    """End the children of runs of one home whose run is gone; returns how many there were.

    A child belongs to a home by the `PREFECT_HOME` that it inherited, and is an orphan when the process that it is
    marked with is none of its ancestors. One without a mark is somebody else's.
    """
    place = prefect_home.resolve()
    orphans = [process for process in psutil.process_iter() if _is_orphan(process, place)]
    for process in orphans:
        process.terminate()
    _, left = psutil.wait_procs(orphans, timeout=GRACE_S)
    for process in left:
        process.kill()
    psutil.wait_procs(left, timeout=GRACE_S)
    return len(orphans)


def _is_orphan(process: psutil.Process, place: Path) -> bool:
    try:
        words = process.cmdline()
        if not (any(word in words for word in CHILDREN) or words[2:5] == SERVER):
            return False
        inherited = process.environ()
        if PARENT not in inherited or Path(inherited.get("PREFECT_HOME", "")).resolve() != place:
            return False
        return inherited[PARENT] not in {str(parent.pid) for parent in process.parents()}
    except psutil.Error:
        return False
