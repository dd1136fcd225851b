"""One execution: a child of the zygote and the judge's side of the conversation with it.

Covered: one socket for each execution, a fresh nonce for each request, exactly one reply to it, a cap on its
size, nothing before and nothing after; every way in which the child can end is told apart. Not covered: what
the values mean, which `synth.sandbox.compare` decides.
"""

from __future__ import annotations

import contextlib
import itertools
import secrets
import socket
import struct
from dataclasses import dataclass
from types import TracebackType
from typing import Any

from synth.sandbox.errors import WorkerLost
from synth.sandbox.farside import FarSide, Report
from synth.sandbox.inside import frames
from synth.sandbox.inside.frames import Closed, Malformed
from synth.sandbox.inside.tree import Tree
from synth.sandbox.limits import Limits
from warehouse.records import Judgement

GRACE_S = 20.0
"""How long past its ceiling an execution may stay unreported before its zygote is given up, seconds."""

CHUNK = 1 << 16
"""Bytes read at once."""

_SIGXCPU = 24
_jobs = itertools.count(1)
_BODIES = ({"v"}, {"u"}, {"o"}, {"x", "m"})


class Ended(Exception):
    """The execution is over before its time, with this verdict."""

    def __init__(self, verdict: Judgement, note: str, report: Report) -> None:
        super().__init__(f"{verdict}: {note}")
        self.verdict = verdict
        self.note = note
        self.report = report


@dataclass(frozen=True, slots=True)
class Reply:
    """One well-formed reply: a tree, or the verdict and note that stand in its place."""

    tree: Tree = None
    verdict: Judgement = Judgement.PASS
    note: str = ""
    raised: str | None = None


class Execution:
    """A context manager around one child; on leaving it the child is gone and reported."""

    def __init__(self, far: FarSide, limits: Limits, seed: int, *, stdin: bool = False) -> None:
        self._far = far
        self._limits = limits
        self._job = next(_jobs)
        self._report: Report | None = None
        try:
            self._near, distant = socket.socketpair()
        except OSError as error:
            raise WorkerLost(f"no socket for an execution: {error}") from None
        self._heard = b""
        for direction in (socket.SO_RCVTIMEO, socket.SO_SNDTIMEO):
            self._near.setsockopt(socket.SOL_SOCKET, direction, struct.pack("@ll", int(limits.ceiling_s + GRACE_S), 0))
        job = {
            "job": self._job,
            "seed": seed,
            "stdin": stdin,
            "cpu_s": limits.cpu_s,
            "wall_s": limits.wall_s,
            "memory_mb": limits.address_space_mb,
            "output_bytes": limits.output_bytes,
            "open_files": limits.open_files,
        }
        with distant:
            try:
                far.start(job, distant)
            except WorkerLost:
                self._near.close()
                raise

    def __enter__(self) -> Execution:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        try:
            if self._report is None and kind is not WorkerLost:
                self._end(kill=True)
        finally:
            self._near.close()

    def ask(self, request: dict[str, Any]) -> Reply:
        """The reply to one request; raises `Ended` when there is none."""
        nonce = self.send(request)
        return self.reply(nonce)

    def send(self, request: dict[str, Any], nonce: str | None = None) -> str:
        """Sends one request and returns its nonce."""
        nonce = nonce or secrets.token_hex(8)
        try:
            self._near.sendall(frames.dump({"n": nonce, **request}))
        except BlockingIOError:
            raise WorkerLost("an execution outlived its limits") from None
        except OSError:
            raise self._death() from None
        return nonce

    def reply(self, nonce: str) -> Reply:
        """The reply to the request of that nonce."""
        message = self.message(nonce)
        if set(message) not in _BODIES:
            raise self._violation("reply with unknown keys")
        return _read(message)

    def message(self, nonce: str) -> dict[str, Any]:
        """One message of that nonce, without it; nothing else may wait on the socket."""
        try:
            size = int.from_bytes(frames.receive(self._hear, frames.HEADER), "little")
            if size > self._limits.output_bytes:
                raise self._violation("reply larger than the frame cap")
            message = frames.load(frames.receive(self._hear, size))
        except Malformed as error:
            raise self._violation(str(error)) from None
        except BlockingIOError:
            raise WorkerLost("an execution outlived its limits") from None
        except (Closed, OSError):
            raise self._death() from None
        if type(message) is not dict or message.pop("n", None) != nonce:
            raise self._violation("reply without the request's nonce")
        if self._heard:
            raise self._violation("more than one reply to a request")
        return message

    def _hear(self, n_bytes: int) -> bytes:
        heard = self._heard or self._near.recv(CHUNK)
        self._heard = heard[n_bytes:]
        return heard[:n_bytes]

    def finish(self) -> Report:
        """Closes our side and waits for the child's end; raises `Ended` if anything more was said or a limit passed."""
        with contextlib.suppress(OSError):
            self._near.shutdown(socket.SHUT_WR)
        report = self._end(kill=False)
        with contextlib.suppress(OSError):
            if self._near.recv(1):
                raise self._violation("data after the last reply")
        if report.cause in ("cpu", "wall") or report.cpu_s > self._limits.cpu_s:
            raise self._death()
        return report

    def _violation(self, note: str) -> Ended:
        return Ended(Judgement.VIOLATION, note, self._end(kill=True))

    def _death(self) -> Ended:
        report = self._end(kill=True)
        if report.cause == "cpu" or report.signal == _SIGXCPU or report.cpu_s > self._limits.cpu_s:
            return Ended(Judgement.TIMEOUT_CPU, f"used more than {self._limits.cpu_s:g} s of CPU time", report)
        if report.cause == "wall":
            return Ended(Judgement.TIMEOUT_WALL, f"waited longer than {self._limits.wall_s:g} s", report)
        how = f"killed by signal {report.signal}" if report.signal else "left without an answer"
        return Ended(Judgement.CRASH, f"process {how}", report)

    def _end(self, *, kill: bool) -> Report:
        if self._report is None:
            if kill:
                self._far.kill(self._job)
            self._report = self._far.report(self._job, self._limits.ceiling_s + GRACE_S)
        return self._report


def _read(message: dict[str, Any]) -> Reply:
    if "v" in message:
        return Reply(message["v"])
    if "u" in message:
        return Reply(None, Judgement.WRONG, f"answer is a {_word(message['u'])}, which is not plain data")
    if "o" in message:
        return Reply(None, Judgement.OUTPUT_LIMIT, f"answer is over the limit of {_word(message['o'])}")
    name, text = _word(message["x"]), _word(message["m"], 200)
    verdict = {"MemoryError": Judgement.MEMORY, "TooMuchOutput": Judgement.OUTPUT_LIMIT}.get(name, Judgement.EXCEPTION)
    return Reply(None, verdict, f"{name}: {text}" if text else name, name)


def _word(said: object, width: int = 80) -> str:
    return said[:width] if type(said) is str else "?"
