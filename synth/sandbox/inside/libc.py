"""System calls that the standard library does not wrap, through ctypes; every failure is an `OSError`."""

from __future__ import annotations

import ctypes
import os
import platform

_fork = ctypes.PyDLL(None, use_errno=True).fork
_libc = ctypes.CDLL(None, use_errno=True)
_syscall = _libc.syscall
_syscall.restype = ctypes.c_long

_prctl = _libc.prctl
_prctl.argtypes = (ctypes.c_int, *[ctypes.c_ulong] * 4)

_seccomp = ctypes.CDLL(None, use_errno=True).syscall
_seccomp.restype = ctypes.c_long
_seccomp.argtypes = (ctypes.c_long, ctypes.c_long, ctypes.c_long, ctypes.c_void_p)

MACHINE = platform.machine()

PR_SET_PDEATHSIG = 1
PR_SET_DUMPABLE = 4
PR_CAPBSET_DROP = 24
PR_SET_NO_NEW_PRIVS = 38

NUMBERS = {
    "x86_64": {
        "capset": 126,
        "pivot_root": 155,
        "seccomp": 317,
        "mount_setattr": 442,
        "landlock_create_ruleset": 444,
        "landlock_add_rule": 445,
        "landlock_restrict_self": 446,
    },
    "aarch64": {
        "capset": 91,
        "pivot_root": 41,
        "seccomp": 277,
        "mount_setattr": 442,
        "landlock_create_ruleset": 444,
        "landlock_add_rule": 445,
        "landlock_restrict_self": 446,
    },
}


def _checked(result: int, what: str) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{what}: {os.strerror(number)}")
    return result


def syscall(name: str, *args: object) -> int:
    """The result of the named system call."""
    if MACHINE not in NUMBERS:
        raise OSError(0, f"no system call table for {MACHINE}")
    converted = [ctypes.c_long(a) if isinstance(a, int) else a for a in args]
    return _checked(_syscall(ctypes.c_long(NUMBERS[MACHINE][name]), *converted), name)


def fork() -> int:
    """As `os.fork`, without the interpreter's own work after a fork, which costs more than the fork does.

    Right only in a process of a single thread, which holds no lock; generators of random numbers must be seeded
    by the caller.
    """
    return _checked(int(_fork()), "fork")


def set_filter(program: int) -> None:
    """Installs the system call filter described at the address `program`."""
    _checked(_seccomp(NUMBERS[MACHINE]["seccomp"], 1, 0, program), "seccomp")


def prctl(option: int, value: int = 0) -> None:
    """Sets one attribute of this process."""
    _checked(_prctl(option, value, 0, 0, 0), "prctl")


def unshare(flags: int) -> None:
    """Moves this process (for pids: its children) into new namespaces."""
    _checked(_libc.unshare(flags), "unshare")


def mount(source: str | None, target: str, kind: str | None, flags: int = 0, options: str | None = None) -> None:
    """Mounts `source` on `target`."""
    encoded = [os.fsencode(x) if x is not None else None for x in (source, target, kind)]
    data = options.encode() if options is not None else None
    _checked(_libc.mount(encoded[0], encoded[1], encoded[2], ctypes.c_ulong(flags), data), f"mount {target}")


def unmount(target: str, flags: int = 0) -> None:
    """Unmounts `target`."""
    _checked(_libc.umount2(os.fsencode(target), flags), f"unmount {target}")
