"""Long-lived worker processes for computer algebra: killable, replaced at once, usable from any thread.

Covered: a job that spins (the kernel ends it by its own CPU clock), grows (address space), blocks (a generous wall
clock) or crashes gives `UNDECIDED` and the worker is replaced; waiting for a free worker counts for nothing; the
workers end with the caller, also after SIGKILL. Not covered: hostile machine code; only our parser's trees are run.
"""

from __future__ import annotations

import atexit
import json
import os
import pickle
import queue
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass

from synth.math.equality import Equality, MathError
from synth.math.tree import Node

JOB_CPU_S = 0.8
"""CPU seconds that one comparison may use in a worker."""
JOB_WALL_S = 60.0
"""Wall seconds after which a worker that uses no CPU is given up."""
LENGTH = 4
CACHE_SIZE = 20_000
"""Decided comparisons that are kept: the rollouts of a group often give the same answer."""


@dataclass(slots=True)
class _Worker:
    pid: int
    connection: socket.socket


class Workers:
    """A template process and up to `n` workers forked from it; processes start with the first job."""

    def __init__(self, n: int = 2) -> None:
        self._n = n
        self._lock = threading.Lock()
        self._owner = os.getpid()
        self._idle: queue.LifoQueue[_Worker | None] = queue.LifoQueue()
        for _ in range(n):
            self._idle.put(None)
        self._template: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._decided: dict[tuple[str, Node | str, Node | str], Equality] = {}
        self.replaced = 0

    def compare(self, mode: str, a: Node | str, b: Node | str, *, cpu_s: float = JOB_CPU_S) -> tuple[Equality, float]:
        """The outcome and the CPU seconds it took in the worker; waits for a free worker as long as it takes."""
        known = self._decided.get((mode, a, b))
        if known is not None:
            return known, 0.0
        outcome, used = self._asked_worker(pickle.dumps((mode, a, b, cpu_s)), cpu_s)
        if outcome is not Equality.UNDECIDED:
            if len(self._decided) >= CACHE_SIZE:
                self._decided.clear()
            self._decided[mode, a, b] = outcome
        return outcome, used

    def _asked_worker(self, job: bytes, cpu_s: float) -> tuple[Equality, float]:
        worker = self._idle.get()
        try:
            if worker is None:
                worker = self._started()
            answer = self._asked(worker, job)
            if answer is None:
                self._gone(worker)
                worker = None
                return Equality.UNDECIDED, cpu_s
            return answer
        finally:
            self._idle.put(worker)

    def _asked(self, worker: _Worker, job: bytes) -> tuple[Equality, float] | None:
        try:
            worker.connection.sendall(len(job).to_bytes(LENGTH, "big") + job)
            line = worker.connection.makefile("rb").readline(200)
            outcome, cpu_s = json.loads(line)
            return Equality(outcome), float(cpu_s)
        except (OSError, ValueError):
            return None

    def _gone(self, worker: _Worker) -> None:
        worker.connection.close()
        with self._lock:
            self.replaced += 1
            if self._control is not None:
                try:
                    self._control.sendall(b"k" + worker.pid.to_bytes(LENGTH, "big"))
                    self._control.recv(1)
                except OSError:
                    self._drop_template()

    def _started(self) -> _Worker:
        with self._lock:
            for _ in range(2):
                ours, theirs = socket.socketpair()
                try:
                    control = self._control or self._start_template()
                    socket.send_fds(control, [b"f"], [theirs.fileno()])
                    pid = int.from_bytes(control.recv(LENGTH, socket.MSG_WAITALL), "big")
                except OSError:
                    pid = 0
                finally:
                    theirs.close()
                if pid:
                    ours.settimeout(JOB_WALL_S)
                    return _Worker(pid, ours)
                ours.close()
                self._drop_template()
        raise MathError("the process for computer algebra does not start; see: gradatim doctor")

    def _start_template(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        self._template = subprocess.Popen(
            [sys.executable, "-m", "synth.math.template"],
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
            start_new_session=True,
        )
        theirs.close()
        self._control = ours
        ours.settimeout(JOB_WALL_S)
        if not ours.recv(1):
            raise OSError("the template ended before it was ready")
        return ours

    def _drop_template(self) -> None:
        if self._control is not None:
            self._control.close()
        if self._template is not None:
            self._template.kill()
            self._template.wait()
        self._template = self._control = None

    def close(self) -> None:
        """Ends all processes; a later job starts new ones. In a process forked from the owner it does nothing."""
        if os.getpid() != self._owner:
            return
        for _ in range(self._n):
            worker = self._idle.get()
            if worker is not None:
                worker.connection.close()
            self._idle.put(None)
        with self._lock:
            self._drop_template()


_shared: Workers | None = None
_shared_lock = threading.Lock()


def shared() -> Workers:
    """The workers of this process, one for each CPU up to four; they end when it does."""
    global _shared
    with _shared_lock:
        if _shared is None:
            _shared = Workers(min(4, os.cpu_count() or 1))
            atexit.register(_shared.close)
        return _shared


def _forget() -> None:
    global _shared, _shared_lock
    _shared, _shared_lock = None, threading.Lock()


os.register_at_fork(after_in_child=_forget)
