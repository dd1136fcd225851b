"""The child of one execution: takes the last restrictions, then loads the program and answers requests.

Nothing here is trusted by the judge: whatever the candidate does to this process, it can only send values.
"""

from __future__ import annotations

import gc
import os
import resource
import signal
import socket
import sys
import threading
from typing import Any, NoReturn

from . import answer, frames, seccomp
from .libc import PR_SET_PDEATHSIG, prctl
from .tree import NotPlain, TooDeep

CHANNEL = 3
THREADS = 128
THREAD_STACK = 4 << 20
MESSAGE = 200


def become(descriptor: int, job: dict[str, Any], spec: dict[str, Any]) -> NoReturn:
    """Turns a fresh fork of the zygote into the candidate's process."""
    try:
        prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.dup2(descriptor, CHANNEL)
        os.closerange(CHANNEL + 1, 1 << 16)
        stdin = answer.redirect(job["stdin"])
        _limit(job, spec)
        _seed(job["seed"])
        seccomp.install(seccomp.candidate_filter(os.getpid()))
        gc.enable()
        _converse(socket.socket(fileno=CHANNEL), job["output_bytes"], stdin)
    finally:
        os._exit(0)


def _limit(job: dict[str, Any], spec: dict[str, Any]) -> None:
    cpu = int(job["cpu_s"]) + 2
    limits = {
        resource.RLIMIT_AS: job["memory_mb"] << 20,
        resource.RLIMIT_CPU: cpu,
        resource.RLIMIT_FSIZE: max(job["output_bytes"] + 1, spec["work_mb"] << 20),
        resource.RLIMIT_NOFILE: job["open_files"],
        resource.RLIMIT_CORE: 0,
        resource.RLIMIT_MEMLOCK: 0,
        resource.RLIMIT_MSGQUEUE: 0,
        resource.RLIMIT_NPROC: spec["processes"] + THREADS,
    }
    for what, limit in limits.items():
        hard = resource.getrlimit(what)[1]
        if hard != resource.RLIM_INFINITY:
            limit = min(limit, hard)
        resource.setrlimit(what, (limit, limit))
    threading.stack_size(THREAD_STACK)
    sys.set_int_max_str_digits(0)
    sys.setrecursionlimit(1050)


def _seed(seed: int) -> None:
    import random

    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed & 0xFFFFFFFF)


def _converse(channel: socket.socket, output_bytes: int, stdin: bool) -> None:
    """Answers each request with exactly one reply until the judge closes its side."""
    program = answer.Program(lambda question: _exchange(channel, question), output_bytes)
    while True:
        try:
            size = int.from_bytes(frames.receive(channel, frames.HEADER), "little")
            request = frames.load(frames.receive(channel, size))
        except (frames.Closed, ConnectionError):
            return
        reply = _reply(program, request)
        reply["n"] = request["n"]
        frame = frames.dump(reply)
        if len(frame) > output_bytes + frames.HEADER:
            frame = frames.dump({"n": request["n"], "o": "size"})
        channel.sendall(frame)


def _exchange(channel: socket.socket, question: dict[str, Any]) -> dict[str, Any]:
    channel.sendall(frames.dump(question))
    size = int.from_bytes(frames.receive(channel, frames.HEADER), "little")
    answered: dict[str, Any] = frames.load(frames.receive(channel, size))
    return answered


def _reply(program: answer.Program, request: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"v": program.answer(request)}
    except NotPlain as error:
        return {"u": str(error)}
    except TooDeep:
        return {"o": "depth"}
    except BaseException as error:
        return {"x": type(error).__name__[:MESSAGE], "m": _describe(error)}


def _describe(error: BaseException) -> str:
    try:
        return str.__str__(str(error))[:MESSAGE]
    except BaseException:
        return ""
