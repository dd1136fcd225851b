"""One zygote as the judge sees it: started, given executions, asked for reports, ended."""

from __future__ import annotations

import contextlib
import functools
import itertools
import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from synth.sandbox.errors import WorkerLost
from synth.sandbox.limits import PATIENCE, Limits

START_S = 30.0
"""Longest wait for a zygote to say that it is ready, seconds."""

SHARED_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/share/zoneinfo")
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")
WORK = "/box"
NOBODY = 65534
FIRST_UID = 1_500_000_000
_PACKAGE = str(Path(__file__).resolve().parent)
_BOOT = "import sys; sys.path.insert(0, sys.argv.pop()); from inside.launch import main; main()"
_FLAGS = ("-S", "-s", "-P", "-B", "-X", "utf8", "-c")
_serial = itertools.count()


@dataclass(frozen=True, slots=True)
class Backend:
    """One way to isolate; system call filters, resource limits and no_new_privs belong to every one."""

    name: str
    namespaces: bool
    landlock: bool


@dataclass(frozen=True, slots=True)
class Report:
    """What the zygote saw of one execution; `cause` is `cpu`, `wall`, `judge` or empty."""

    signal: int
    cause: str
    cpu_s: float
    wall_s: float


@functools.cache
def interpreter_paths() -> tuple[str, ...]:
    """The folders that an interpreter needs: its standard library and shared libraries."""
    base = {"installed_base": sys.base_prefix, "installed_platbase": sys.base_exec_prefix}
    base |= {"base": sys.base_prefix, "platbase": sys.base_exec_prefix}
    named = [sysconfig.get_path(name, vars=base) for name in ("stdlib", "platstdlib")]
    named += [sysconfig.get_config_var("DESTSHARED"), sysconfig.get_config_var("LIBDIR")]
    return tuple({path for path in (*named, *SHARED_LIBRARIES) if path and os.path.isdir(path)})


def _numpy_paths() -> tuple[str, tuple[str, ...]]:
    """The folder to put on the path for numpy, and the folders that may be read below it."""
    from importlib.util import find_spec

    spec = find_spec("numpy")
    if spec is None or spec.origin is None:
        raise WorkerLost("numpy is not installed, so that the numpy profile cannot be offered")
    site = Path(spec.origin).parent.parent
    return str(site), tuple(str(site / name) for name in ("numpy", "numpy.libs") if (site / name).is_dir())


def _identity() -> tuple[int, int]:
    """The user and group that candidates run as: our own, or an unprivileged pair that nobody else has."""
    if os.geteuid() != 0:
        return os.getuid(), os.getgid()
    wanted = FIRST_UID + (os.getpid() * 64 + next(_serial)) % 500_000_000
    with open("/proc/self/uid_map") as table:
        ranges = [tuple(map(int, line.split())) for line in table]
    mapped = any(first <= wanted < first + length for first, _, length in ranges)
    return (wanted, wanted) if mapped else (NOBODY, NOBODY)


def _processes(backend: Backend) -> int:
    """Processes and threads of the candidates' user that exist apart from them, which its limit must allow for."""
    if backend.namespaces or os.geteuid() == 0:
        return 0
    count = 512
    for entry in os.scandir("/proc"):
        with contextlib.suppress(OSError):
            if entry.name.isdigit() and entry.stat().st_uid == os.getuid():
                count += len(os.listdir(f"{entry.path}/task"))
    return count


class FarSide:
    """A launcher and its zygote; raises `WorkerLost` when they do not start or no longer answer."""

    def __init__(self, backend: Backend, limits: Limits, hash_seed: int) -> None:
        self._reports: dict[int, Report] = {}
        try:
            self._control, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        except OSError as error:
            raise WorkerLost(f"zygote did not start: {error}") from None
        try:
            with far, _stage(backend) as stage:
                self._process = _spawn(_specification(backend, limits, stage), far, hash_seed)
                far.close()
                self._control.settimeout(START_S)
                said = self._message()
                if "ready" not in said:
                    raise WorkerLost(f"zygote did not start: {said.get('failed', said)}")
        except BaseException as error:
            self.close()
            if isinstance(error, OSError):
                raise WorkerLost(f"zygote did not start: {error}") from None
            raise

    @property
    def pid(self) -> int:
        """The launcher's process."""
        return self._process.pid

    def start(self, job: dict[str, Any], channel: socket.socket) -> None:
        """Starts one execution that talks over `channel`."""
        try:
            socket.send_fds(self._control, [json.dumps(job).encode()], [channel.fileno()])
        except OSError as error:
            raise WorkerLost(f"zygote is gone: {error}") from None

    def kill(self, job: int) -> None:
        """Ends one execution, which is still reported."""
        with contextlib.suppress(OSError):
            self._control.send(json.dumps({"kill": job}).encode())

    def report(self, job: int, timeout_s: float) -> Report:
        """How one execution ended, as soon as it has."""
        self._control.settimeout(timeout_s)
        while job not in self._reports:
            said = self._message()
            self._reports[said["job"]] = Report(said["signal"], said["cause"], said["cpu_s"], said["wall_s"])
        return self._reports.pop(job)

    def _message(self) -> dict[str, Any]:
        try:
            body = self._control.recv(4096)
        except OSError as error:
            raise WorkerLost(f"zygote does not answer: {error}") from None
        if not body:
            raise WorkerLost("zygote is gone")
        said: dict[str, Any] = json.loads(body)
        return said

    def close(self) -> None:
        """Ends the zygote and everything below it, and waits until they are gone."""
        self._control.close()
        process: subprocess.Popen[bytes] | None = getattr(self, "_process", None)
        if process is None:
            return
        if process.stdin is not None:
            process.stdin.close()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@contextlib.contextmanager
def _stage(backend: Backend) -> Iterator[str]:
    """An empty folder that becomes the zygote's root, gone from here as soon as it has."""
    if not backend.namespaces:
        yield ""
        return
    folder = tempfile.mkdtemp(prefix="gradatim-root-")
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _spawn(spec: dict[str, Any], far: socket.socket, hash_seed: int) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [_python(), *_FLAGS, _BOOT, json.dumps(spec), str(far.fileno()), _PACKAGE],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        pass_fds=[far.fileno()],
        env=_environment(hash_seed, spec["work"]),
        cwd="/",
        start_new_session=True,
    )


def _python() -> str:
    return getattr(sys, "_base_executable", None) or sys.executable


def _specification(backend: Backend, limits: Limits, stage: str) -> dict[str, Any]:
    uid, gid = _identity()
    site, packages = _numpy_paths() if limits.profile == "numpy" else (None, ())
    has_work = backend.namespaces and limits.work_mb > 0
    return {
        "namespaces": backend.namespaces,
        "landlock": backend.landlock,
        "stage": stage,
        "uid": uid,
        "gid": gid,
        "readable": [*interpreter_paths(), *packages],
        "devices": [device for device in DEVICES if os.path.exists(device)],
        "work": WORK if has_work else "",
        "work_mb": limits.work_mb,
        "work_options": f"size={limits.work_mb}m,nr_inodes=1024,mode=700,uid={uid},gid={gid}" if has_work else "",
        "site": site,
        "package": _PACKAGE,
        "processes": _processes(backend),
        "patience": PATIENCE,
    }


def _environment(hash_seed: int, work: str) -> dict[str, str]:
    environment = {
        "PYTHONHASHSEED": str(hash_seed),
        "HOME": work or "/",
        "LANG": "C.UTF-8",
        "MALLOC_ARENA_MAX": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "OMP_NUM_THREADS": "1",
    }
    if work:
        environment["TMPDIR"] = work
    if "LD_LIBRARY_PATH" in os.environ:
        environment["LD_LIBRARY_PATH"] = os.environ["LD_LIBRARY_PATH"]
    return environment
