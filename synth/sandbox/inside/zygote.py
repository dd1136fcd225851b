"""The zygote: a warm interpreter that isolates itself once, then forks one child per execution.

Covered: CPU and waiting time by clocks that a candidate cannot reach, death of every child with the zygote
and of the zygote with its launcher, a work folder that is empty for each execution. A child that cannot be
cleaned up after ends the zygote, which the judge replaces. Not covered: time that the kernel spends for a
child in its own threads, and a child that the kernel cannot kill.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import signal
import sys
import time
from socket import CMSG_LEN, SCM_RIGHTS, SOL_SOCKET, socket
from typing import Any, NoReturn

from . import landlock, namespaces, runner, seccomp
from .libc import PR_SET_NO_NEW_PRIVS, PR_SET_PDEATHSIG, fork, prctl

PRELOADED = """
    abc array atexit bisect cmath collections collections.abc contextlib copy enum functools heapq io itertools json
    math operator random re string struct threading time types typing
"""
"""What most programs import. Each further module makes every fork dearer, so that the rarer ones are left to those
programs that use them."""

DEEPEST = 32
"""Deepest folder in the work folder that is emptied; beyond it the zygote is replaced."""

CORES = os.cpu_count() or 1
SHORTEST_S = 0.005
"""Shortest time between two looks at a child's clocks, seconds."""


def preload(spec: dict[str, Any]) -> None:
    """Imports what candidates most often import, so that a fork finds it ready."""
    sys.argv[:] = sys.orig_argv[:] = [""]
    sys.path[:] = [path for path in sys.path if path != spec["package"]]
    for name in PRELOADED.split():
        importlib.import_module(name)
    if spec["site"]:
        sys.path.append(spec["site"])
        for name in ("numpy", "numpy.linalg", "numpy.random"):
            importlib.import_module(name)


class Child:
    """One execution in progress; not a dataclass, whose module makes every fork dearer."""

    __slots__ = ("cause", "handle", "job", "limits", "pid", "started")

    def __init__(self, job: int, pid: int, handle: int, started: float, limits: dict[str, Any]) -> None:
        self.job, self.pid, self.handle, self.started, self.limits = job, pid, handle, started, limits
        self.cause = ""

    def cpu(self) -> float:
        """CPU seconds that all threads of the child have used."""
        return time.clock_gettime((~self.pid << 3) | 2)

    def check(self, patience: float) -> float:
        """Kills the child if it is past a limit; the seconds until it can be at the earliest."""
        cpu = self.cpu()
        waited = time.monotonic() - self.started - patience * cpu
        if cpu >= self.limits["cpu_s"]:
            self.kill("cpu")
        elif waited >= self.limits["wall_s"]:
            self.kill("wall")
        soonest: float = min((self.limits["cpu_s"] - cpu) / CORES, self.limits["wall_s"] - waited)
        return max(SHORTEST_S, soonest)

    def kill(self, cause: str) -> None:
        """Ends the child; the first cause is the one reported."""
        self.cause = self.cause or cause
        signal.pidfd_send_signal(self.handle, signal.SIGKILL)


def serve(control: socket, spec: dict[str, Any]) -> NoReturn:
    """Isolates this process, says so, and runs executions until the judge closes the control socket."""
    try:
        _isolate(spec)
    except OSError as error:
        control.send(json.dumps({"failed": str(error)}).encode())
        os._exit(1)
    control.send(json.dumps({"ready": os.getpid()}).encode())
    gc.collect()
    gc.freeze()
    gc.disable()
    children: dict[int, Child] = {}
    poller = select.poll()
    poller.register(control, select.POLLIN)
    while True:
        wait_s = min((child.check(spec["patience"]) for child in children.values()), default=None)
        for descriptor, _ in poller.poll(None if wait_s is None else wait_s * 1000):
            if descriptor != control.fileno():
                poller.unregister(descriptor)
                report = _reap(children.pop(descriptor))
                clean = bool(children) or _wipe(spec["work"])
                control.send(json.dumps(report).encode())
                if not clean:
                    os._exit(2)
            else:
                child = _obey(control, spec, children)
                if child is not None:
                    children[child.handle] = child
                    poller.register(child.handle, select.POLLIN)


def _isolate(spec: dict[str, Any]) -> None:
    uid, gid = spec["uid"], spec["gid"]
    readable = sorted(spec["readable"], key=len)
    if spec["namespaces"]:
        namespaces.build_root(spec["stage"], readable, spec["devices"], spec["work"], spec["work_options"])
    namespaces.drop_privileges(uid, gid)
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    prctl(PR_SET_NO_NEW_PRIVS, 1)
    os.chdir(spec["work"] or "/")
    os.umask(0o077)
    if spec["landlock"]:
        landlock.restrict(readable, [spec["work"]] if spec["work"] else [], spec["devices"])
    runner.prepare(spec)
    seccomp.Filter(seccomp.zygote_filter()).install()


def _obey(control: socket, spec: dict[str, Any], children: dict[int, Child]) -> Child | None:
    body, ancillary, _, _ = control.recvmsg(4096, CMSG_LEN(4))
    if not body:
        os._exit(0)
    job = json.loads(body)
    if "kill" in job:
        for child in children.values():
            if child.job == job["kill"]:
                child.kill("judge")
        return None
    descriptor = next(
        int.from_bytes(data[:4], sys.byteorder)
        for level, kind, data in ancillary
        if (level, kind) == (SOL_SOCKET, SCM_RIGHTS)
    )
    started = time.monotonic()
    pid = fork()
    if pid == 0:
        runner.become(descriptor, job, spec)
    os.close(descriptor)
    return Child(job["job"], pid, os.pidfd_open(pid), started, job)


def _reap(child: Child) -> dict[str, Any]:
    os.close(child.handle)
    _, status, usage = os.wait4(child.pid, 0)
    return {
        "job": child.job,
        "signal": os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0,
        "cause": child.cause,
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "wall_s": time.monotonic() - child.started,
    }


def _wipe(work: str, depth: int = 0) -> bool:
    """Empties the work folder; false when something in it resists or lies very deep."""
    if not work or depth > DEEPEST:
        return not work
    try:
        with os.scandir(work) as entries:
            for entry in entries:
                if not entry.is_dir(follow_symlinks=False):
                    os.unlink(entry.path)
                elif not _wipe(entry.path, depth + 1):
                    return False
                else:
                    os.rmdir(entry.path)
    except OSError:
        return False
    return True
