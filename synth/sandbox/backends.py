"""Which isolation works here, found by running canaries and never by reading flags.

A backend is offered only when, inside it, an honest program passes and every one of a list of forbidden
things was tried and refused. With none, gradatim refuses to run candidate code.
"""

from __future__ import annotations

import os
import socket
import sys
import tempfile
import threading
from dataclasses import dataclass
from pathlib import Path

from synth.sandbox.canary import PROGRAM, forbidden
from synth.sandbox.case import Test
from synth.sandbox.errors import SandboxUnavailable, WorkerLost
from synth.sandbox.farside import Backend, FarSide, interpreter_paths
from synth.sandbox.judging import Question, look
from synth.sandbox.limits import Limits
from warehouse.errors import unknown_name
from warehouse.records import Judgement

BACKENDS = (
    Backend("namespaces+landlock", namespaces=True, landlock=True),
    Backend("namespaces", namespaces=True, landlock=False),
    Backend("landlock", namespaces=False, landlock=True),
)
"""From the strongest to the weakest; each has system call filters, resource limits and no_new_privs besides."""

_CANARY_LIMITS = Limits(cpu_s=10, wall_s=30)
_known: dict[str, Probe] = {}
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Probe:
    """What a canary found of one backend."""

    name: str
    works: bool
    detail: str


def probe(backend: Backend) -> Probe:
    """What the backend's canary finds on this machine, now."""
    if not sys.platform.startswith("linux"):
        return Probe(backend.name, False, f"{sys.platform} has no isolation; run gradatim on a Linux host or in one")
    with (
        tempfile.TemporaryDirectory(prefix="gradatim-canary-") as folder,
        socket.create_server(("127.0.0.1", 0)) as tcp,
    ):
        os.chmod(folder, 0o777)
        secret = Path(folder, "secret")
        secret.write_text("seen")
        secret.chmod(0o666)
        things = forbidden(folder, tcp.getsockname()[1], os.getpid(), interpreter_paths())
        tests = tuple(Test(args=(name, argument)) for name, argument in things)
        question = Question(PROGRAM, tests, "attempt", False, _CANARY_LIMITS, judge=False)
        try:
            far = FarSide(backend, _CANARY_LIMITS, 0)
        except WorkerLost as lost:
            return Probe(backend.name, False, str(lost))
        try:
            sight = look(far, question, 0)
        except WorkerLost as lost:
            return Probe(backend.name, False, str(lost))
        finally:
            far.close()
        broken = next((seen for seen in sight.seen if seen.verdict is not Judgement.PASS), None)
        if broken is not None:
            return Probe(backend.name, False, f"canary failed: {broken.note} (is the interpreter's library readable?)")
        if len(sight.seen) != len(tests):
            return Probe(backend.name, False, f"canary ended early: {sight.seen[-1].verdict} {sight.seen[-1].note}")
        open_doors = [test.args[0] for test, seen in zip(tests, sight.seen, strict=True) if seen.answer != "refused"]
        planted = sorted(set(os.listdir(folder)) - {"secret"})
        if not secret.exists() or secret.read_text() != "seen":
            planted.append("secret changed")
        if open_doors or planted:
            return Probe(backend.name, False, f"not refused: {', '.join(map(str, open_doors + planted))}")
        return Probe(backend.name, True, f"{len(tests)} forbidden things refused")


def probes() -> tuple[Probe, ...]:
    """One probe for each backend, for `gradatim doctor`; run anew each time."""
    return tuple(probe(backend) for backend in BACKENDS)


def choose(name: str | None = None) -> Backend:
    """The strongest backend whose canary passes, or the named one; remembered for this process.

    Raises `SandboxUnavailable` when none does, which says what each canary found.
    """
    named = [backend for backend in BACKENDS if name in (None, backend.name)]
    if not named:
        raise unknown_name("backend", str(name), [backend.name for backend in BACKENDS], "gradatim doctor")
    with _lock:
        for backend in named:
            if backend.name not in _known:
                _known[backend.name] = probe(backend)
            if _known[backend.name].works:
                return backend
        found = "; ".join(f"{backend.name}: {_known[backend.name].detail}" for backend in named)
    raise SandboxUnavailable(
        f"no isolation works on this machine, so no program was run ({found}); see: gradatim doctor"
    )
