"""The process that workers are forked from: sympy imported once, so that a killed worker is replaced in milliseconds.

Run as `python -m synth.math.template`; its standard input is a Unix socket to the caller. A request is one byte:
`f` with a file descriptor forks a worker that serves on it and answers its process id; `k` plus the id kills and
reaps one. Each job of a worker runs under an interval timer of its own CPU clock whose signal is left at its default
action, so that the kernel ends the process whatever it computes.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import resource
import signal
import socket
import struct
from collections.abc import Callable

from synth.math.algebra import same_equation, same_expression, same_value
from synth.math.equality import Equality, MathError
from synth.math.latex import parse_latex
from synth.math.parser import parse
from synth.math.tree import Node

MEMORY_BYTES = 2 << 30
"""Address space of a worker."""
WARM_UP = (
    ("\\tan^2(x+1)+1", "\\sec^2(x+1)"),
    ("\\sqrt{3+2\\sqrt{2}}", "1+\\sqrt{2}"),
    ("\\sqrt{1/n}", "\\frac{1}{\\sqrt{n}}"),
)
"""Comparisons made once before the first fork, so that no worker pays for what sympy loads late."""
LENGTH = struct.Struct("!I")


def read_exactly(connection: socket.socket, size: int) -> bytes:
    """`size` bytes, or fewer at the end of the stream."""
    data = b""
    while len(data) < size:
        piece = connection.recv(size - len(data))
        if not piece:
            break
        data += piece
    return data


def _same_latex(a: str, b: str) -> Equality:
    return same_expression(lambda positive: (parse_latex(a, positive=positive), parse_latex(b, positive=positive)))


_VALUES: dict[str, Callable[[Node, Node], Equality]] = {"value": same_value, "equation": same_equation}


def decide(mode: str, a: Node | str, b: Node | str) -> Equality:
    """One comparison; whatever the algebra raises is `UNDECIDED`."""
    try:
        if isinstance(a, str) and isinstance(b, str):
            return _same_latex(a, b)
        if isinstance(a, Node) and isinstance(b, Node):
            return _VALUES[mode](a, b)
    except (MathError, MemoryError, RecursionError):
        return Equality.UNDECIDED
    except Exception:  # the boundary to sympy and latex2sympy, which raise anything; recorded as undecided
        return Equality.UNDECIDED
    return Equality.UNDECIDED


def serve(connection: socket.socket) -> None:
    """Answers jobs on `connection` until it closes."""
    while True:
        head = read_exactly(connection, LENGTH.size)
        if len(head) < LENGTH.size:
            return
        mode, a, b, cpu_s = pickle.loads(read_exactly(connection, *LENGTH.unpack(head)))
        before = resource.getrusage(resource.RUSAGE_SELF)
        signal.setitimer(signal.ITIMER_PROF, cpu_s)
        outcome = decide(mode, a, b)
        signal.setitimer(signal.ITIMER_PROF, 0)
        after = resource.getrusage(resource.RUSAGE_SELF)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        connection.sendall(json.dumps([outcome.value, round(used, 6)]).encode() + b"\n")


def _fork(control: socket.socket, descriptor: int) -> int:
    pid = os.fork()
    if pid:
        return pid
    control.close()
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    try:
        serve(socket.socket(fileno=descriptor))
    finally:
        os._exit(0)


def main() -> None:
    """Forks and reaps workers until the caller goes away."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    control = socket.socket(fileno=os.dup(0))
    for left, right in WARM_UP:
        decide("value", parse(left), parse(right))
    gc.collect()
    gc.freeze()
    control.sendall(b"r")
    while True:
        message, descriptors, _, _ = socket.recv_fds(control, 5, 1)
        if not message:
            return
        if message[:1] == b"f" and descriptors:
            control.sendall(LENGTH.pack(_fork(control, descriptors[0])))
            os.close(descriptors[0])
        elif message[:1] == b"k":
            (pid,) = LENGTH.unpack(message[1:] + read_exactly(control, 5 - len(message)))
            try:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
            except (ProcessLookupError, ChildProcessError):
                pass
            control.sendall(b"k")


if __name__ == "__main__":
    main()
