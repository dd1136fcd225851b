"""What a flow calls to train: a process for the stage, its progress, its rows drained, its result or a named error."""

from __future__ import annotations

import fcntl
import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from trainer import stagefile
from trainer.errors import StageFailed, StageKilled
from trainer.run import FAILURE, RESULT
from trainer.spool import Committer, Spool
from trainer.stagefile import StageFile

DRAIN_EVERY_S = 3.0
"""Seconds between drains of a running stage's spool."""

GRACE_S = 10.0
"""Seconds that a stage gets to end after SIGTERM."""

ORPHAN_S = 60.0
"""Seconds that the process of a stage whose flow was killed gets to notice and end."""


@dataclass(frozen=True)
class StageResult:
    """How a stage ended: its checkpoint below the home, the policy in it, what it cost, and why it ended early."""

    checkpoint: str
    policy_id: str
    weights_hash: str
    step: int
    n_steps: int
    n_rollouts: int
    duration_s: float
    reason: str | None


def run_stage(
    stage: StageFile, store: Committer, *, progress: Callable[[Mapping[str, Any]], None] | None = None
) -> StageResult:
    """Train `stage` in a process of its own and bring its rows into `store`; returns when both are done.

    `progress` gets what the process prints, one mapping a step. Rows spooled by earlier, killed attempts are
    drained first. Raises `StageFailed` with the stage's own error; what it had spooled is then in the store too.
    A stage is trained by one process at a time: what a killed flow left is waited for, another flow's is an error.
    """
    with _alone(stage) as lock:
        return _run(stage, store, lock, progress)


def _run(
    stage: StageFile, store: Committer, lock: int, progress: Callable[[Mapping[str, Any]], None] | None
) -> StageResult:
    drain_all(stage, store)
    began = time.monotonic()
    path = stagefile.write(stage, stage.spool / "stage.toml")
    log = stage.spool / "stderr.log"
    spool = Spool(stage.spool, stage_id=stage.stage_id, attempt=stage.attempt)
    with log.open("w") as errors, _process(path, stage, errors, lock) as process, _draining(spool, store, stage.run_id):
        for line in process.stdout or ():
            if progress is not None and line.startswith("{"):
                progress(json.loads(line))
        code = process.wait()
    result = stage.spool / RESULT
    if code != 0 or not result.is_file():
        raise (StageKilled if code < 0 else StageFailed)(_reason(stage, code, log))
    made = json.loads(result.read_text("utf-8"))
    made["checkpoint"] = os.path.relpath(made["checkpoint"], stage.home)
    return StageResult(**made, duration_s=time.monotonic() - began)


def next_attempt(stage: StageFile) -> StageFile:
    """`stage` as the next try: one more than the attempts that left a folder in the spool."""
    tries = [int(folder.name) for folder in stage.spool.parent.glob("[0-9]*") if folder.is_dir()]
    return stage.model_copy(update={"attempt": max(tries, default=-1) + 1})


def drain_all(stage: StageFile, store: Committer) -> int:
    """Commit what every attempt of `stage` spooled; returns the rows committed."""
    rows = 0
    for folder in sorted(stage.spool.parent.glob("[0-9]*")):
        rows += Spool(folder, stage_id=stage.stage_id, attempt=int(folder.name)).drain(store, run=stage.run_id)
    return rows


@contextmanager
def _alone(stage: StageFile) -> Iterator[int]:
    """The stage's lock, a file descriptor that its process inherits, so that it is held as long as that trains."""
    stage.spool.parent.mkdir(parents=True, exist_ok=True)
    deadline = time.monotonic() + ORPHAN_S
    with (stage.spool.parent / "lock").open("w") as lock:
        while True:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                break
            except BlockingIOError:
                if time.monotonic() > deadline:
                    raise StageFailed(
                        f"stage {stage.stage_id} is being trained by another process; wait for its end, then run again"
                    ) from None
                time.sleep(0.2)
        yield lock.fileno()


@contextmanager
def _process(path: Path, stage: StageFile, errors: Any, lock: int) -> Iterator[subprocess.Popen[str]]:
    threads = str(stage.trainer.stage.threads)
    root = str(Path(__file__).resolve().parent.parent)
    environment = os.environ | {
        "OMP_NUM_THREADS": threads,
        "TOKENIZERS_PARALLELISM": "false",
        "PYTHONPATH": os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")])),
    }
    process = subprocess.Popen(
        [sys.executable, "-m", "trainer.run", str(path)],
        stdout=subprocess.PIPE,
        stderr=errors,
        text=True,
        env=environment,
        pass_fds=(lock,),
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            process.send_signal(signal.SIGTERM)
            try:
                process.wait(GRACE_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        if process.stdout is not None:
            process.stdout.close()


@contextmanager
def _draining(spool: Spool, store: Committer, run: str) -> Iterator[None]:
    """Drain in the background while the block runs, and once more at its end; the first error is raised there."""
    stop = threading.Event()
    failures: list[Exception] = []

    def drain() -> None:
        while not stop.wait(DRAIN_EVERY_S):
            try:
                spool.drain(store, run=run)
            except Exception as error:
                failures.append(error)
                return

    thread = threading.Thread(target=drain, name="spool", daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        spool.drain(store, run=run)
    if failures:
        raise StageFailed(f"rows of {spool.folder.parent.name} could not be committed: {failures[0]}") from failures[0]


def _reason(stage: StageFile, code: int, log: Path) -> str:
    failure = stage.spool / FAILURE
    if failure.is_file():
        found = json.loads(failure.read_text("utf-8"))
        return f"{found['error']}: {found['message']}"
    if code < 0:
        return f"stage {stage.stage_id} was killed by signal {-code}; run again to go on from its last checkpoint"
    last = log.read_text("utf-8", "replace").strip().splitlines()[-1:] or ["no message"]
    return f"stage {stage.stage_id} ended with exit code {code}: {last[0]}"
