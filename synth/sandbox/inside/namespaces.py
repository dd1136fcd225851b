"""User, pid, network, mount and IPC namespaces, and a root that holds only what an interpreter needs.

Covered: files (everything read-only but the work folder, which lives in memory with a cap on bytes and
entries), processes, network and System V objects outside. Not covered: the kernel itself; a folder given as
readable shows all that lies below it.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable

from .libc import PR_CAPBSET_DROP, PR_SET_DUMPABLE, mount, prctl, syscall, unmount, unshare

NEW_MOUNTS, NEW_UTS, NEW_IPC, NEW_USER, NEW_PIDS, NEW_NET = (
    0x20000,
    0x4000000,
    0x8000000,
    0x10000000,
    0x20000000,
    0x40000000,
)
_READ_ONLY, _NOSUID, _NODEV, _BIND, _RECURSIVE, _PRIVATE = 1, 2, 4, 4096, 16384, 1 << 18
_DETACH = 2
_AT_RECURSIVE = 0x8000


def enter(uid: int, gid: int) -> None:
    """Moves this process, and its future children's pids, into new namespaces; a user namespace unless root."""
    flags = NEW_MOUNTS | NEW_UTS | NEW_IPC | NEW_PIDS | NEW_NET
    if os.geteuid() == 0:
        unshare(flags)
        return
    prctl(PR_SET_DUMPABLE, 1)
    unshare(flags | NEW_USER)
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{uid} {uid} 1")
    _write("/proc/self/gid_map", f"{gid} {gid} 1")


def _write(path: str, text: str) -> None:
    with open(path, "w") as file:
        file.write(text)


def build_root(stage: str, readable: Iterable[str], devices: Iterable[str], work: str, options: str) -> None:
    """Makes `stage`, an empty folder, the root: `readable` and `devices` at their own places, and `work`.

    `work` is the path of the work folder, a tmpfs with `options`, or empty for none.
    """
    mount(None, "/", None, _RECURSIVE | _PRIVATE)
    mount("gradatim", stage, "tmpfs", _NOSUID | _NODEV, "size=1m,mode=755")
    for path in readable:
        if os.path.islink(path) and os.path.dirname(path) == "/":
            os.makedirs(stage + os.path.dirname(path), exist_ok=True)
            os.symlink(os.readlink(path), stage + path)
        elif os.path.isdir(path) and not os.path.exists(stage + path):
            os.makedirs(stage + path)
            _bind(path, stage + path, _READ_ONLY | _NOSUID | _NODEV)
    for path in devices:
        os.makedirs(stage + os.path.dirname(path), exist_ok=True)
        _write(stage + path, "")
        mount(path, stage + path, None, _BIND)
    if work:
        os.mkdir(stage + work)
        mount("work", stage + work, "tmpfs", _NOSUID | _NODEV, options)
    os.chdir(stage)
    syscall("pivot_root", ctypes.c_char_p(b"."), ctypes.c_char_p(b"."))
    unmount(".", _DETACH)
    os.chdir("/")
    _set_attributes("/", _READ_ONLY | _NOSUID, 0)


def _bind(source: str, target: str, attributes: int) -> None:
    mount(source, target, None, _BIND | _RECURSIVE)
    _set_attributes(target, attributes, _AT_RECURSIVE)


def _set_attributes(path: str, attributes: int, flags: int) -> None:
    buffer = ctypes.create_string_buffer(struct.pack("=QQQQ", attributes, 0, 0, 0), 32)
    syscall("mount_setattr", -100, ctypes.c_char_p(os.fsencode(path)), flags, ctypes.byref(buffer), 32)


def drop_privileges(uid: int, gid: int) -> None:
    """Becomes the unprivileged `uid` when root, and gives up every capability, those of a user namespace included."""
    for capability in range(64):
        try:
            prctl(PR_CAPBSET_DROP, capability)
        except OSError:
            break
    if os.geteuid() == 0:
        os.setgroups([])
        os.setresgid(gid, gid, gid)
        os.setresuid(uid, uid, uid)
    header = ctypes.create_string_buffer(struct.pack("=Ii", 0x20080522, 0), 8)
    empty = ctypes.create_string_buffer(24)
    syscall("capset", ctypes.byref(header), ctypes.byref(empty))
