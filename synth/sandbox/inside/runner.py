"""The child of one execution: takes the last restrictions, then loads the program and answers requests.

Nothing here is trusted by the judge: whatever the candidate does to this process, it can only send values.
What costs time for each fork is done beforehand in the zygote (`prepare`).
"""

from __future__ import annotations

import gc
import os
import random
import resource
import signal
import sys
import threading
from json import JSONDecoder
from typing import Any, NoReturn

from . import answer, frames, seccomp
from .libc import PR_SET_PDEATHSIG, prctl
from .tree import NotPlain, TooDeep

CHANNEL = 3
THREADS = 128
THREAD_STACK = 4 << 20
MESSAGE = 200
CHUNK = 1 << 16

_parse = JSONDecoder().scan_once  # type: ignore[attr-defined]
_restrict = seccomp.Filter(seccomp.candidate_filter())


_hard = {
    what: resource.getrlimit(what)[1]
    for what in (getattr(resource, name) for name in dir(resource) if name.startswith("RLIMIT_"))
    if resource.getrlimit(what)[1] != resource.RLIM_INFINITY
}
"""Hard limits that we start under, which no limit of ours can exceed."""


def prepare(spec: dict[str, Any]) -> None:
    """Sets, in the zygote, what all of its children share."""
    _cap(resource.RLIMIT_CORE, 0)
    _cap(resource.RLIMIT_MEMLOCK, 0)
    _cap(resource.RLIMIT_MSGQUEUE, 0)
    _cap(resource.RLIMIT_NPROC, spec["processes"] + THREADS)
    threading.stack_size(THREAD_STACK)
    sys.set_int_max_str_digits(0)
    sys.setrecursionlimit(1050)
    _seed(0)


def _cap(what: int, limit: int) -> None:
    limit = min(limit, _hard.get(what, limit))
    resource.setrlimit(what, (limit, limit))


def _seed(seed: int) -> None:
    random.seed(seed)
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        numpy.random.seed(seed & 0xFFFFFFFF)


def become(descriptor: int, job: dict[str, Any], spec: dict[str, Any]) -> NoReturn:
    """Turns a fresh fork of the zygote into the candidate's process."""
    try:
        if not spec["namespaces"]:
            prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
        os.dup2(descriptor, CHANNEL)
        os.closerange(CHANNEL + 1, 1 << 16)
        if job["stdin"]:
            answer.redirect()
        _cap(resource.RLIMIT_AS, job["memory_mb"] << 20)
        _cap(resource.RLIMIT_CPU, int(job["cpu_s"]) + 2)
        _cap(resource.RLIMIT_FSIZE, max(job["output_bytes"] + 1, spec["work_mb"] << 20))
        _cap(resource.RLIMIT_NOFILE, job["open_files"])
        if job["seed"]:
            _seed(job["seed"])
        _restrict.install(os.getpid())
        gc.enable()
        _converse(job["output_bytes"])
    finally:
        os._exit(0)


def _converse(output_bytes: int) -> None:
    """Answers each request with exactly one reply until the judge closes its side."""
    program = answer.Program(_exchange, output_bytes)
    while True:
        try:
            request = _receive()
        except (frames.Closed, OSError):
            return
        reply = _reply(program, request)
        reply["n"] = request["n"]
        frame = frames.dump(reply)
        if len(frame) > output_bytes + frames.HEADER:
            frame = frames.dump({"n": request["n"], "o": "size"})
        _send(frame)


def _receive() -> dict[str, Any]:
    """The next request; the judge sends one at a time, so that nothing follows its frame."""
    heard = os.read(CHANNEL, CHUNK)
    size = int.from_bytes(heard[: frames.HEADER], "little")
    body = heard[frames.HEADER :]
    if len(body) < size:
        body += frames.receive(_read, size - len(body))
    if not heard:
        raise frames.Closed
    message: dict[str, Any] = _parse(body.decode("ascii"), 0)[0]
    return message


def _read(n_bytes: int) -> bytes:
    return os.read(CHANNEL, n_bytes)


def _send(frame: bytes) -> None:
    sent = os.write(CHANNEL, frame)
    while sent < len(frame):
        sent += os.write(CHANNEL, frame[sent:])


def _exchange(question: dict[str, Any]) -> dict[str, Any]:
    _send(frames.dump(question))
    return _receive()


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
