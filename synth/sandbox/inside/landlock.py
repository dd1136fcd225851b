"""Landlock: which files this process and its children may touch, without any privilege.

Covered: reading, listing, writing, making and running files outside the given folders; with ABI 4 TCP bind
and connect; with ABI 6 signals and abstract sockets to processes outside. Not covered: whether a path exists
and its size and owner (`stat`), and what was opened before.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterable

from .libc import syscall

READ_FILE, READ_DIR = 1 << 2, 1 << 3
WORK = (1 << 1) | READ_FILE | READ_DIR | (1 << 4) | (1 << 5) | (1 << 7) | (1 << 8) | (1 << 12) | (1 << 13) | (1 << 14)
"""Write, read, list, remove folders and files, make folders, files, symbolic links, link across, truncate."""

_FILE_ONLY = (1 << 0) | (1 << 1) | READ_FILE | (1 << 14) | (1 << 15)
_HANDLED_BY_ABI = {1: (1 << 13) - 1, 2: (1 << 14) - 1, 3: (1 << 15) - 1, 4: (1 << 15) - 1, 5: (1 << 16) - 1}


def abi() -> int:
    """The kernel's Landlock version, 0 where there is none."""
    try:
        return syscall("landlock_create_ruleset", 0, 0, 1)
    except OSError:
        return 0


def restrict(readable: Iterable[str], writable: Iterable[str], devices: Iterable[str]) -> None:
    """Leaves this process only the files below `readable`, `writable` and the given `devices`."""
    version = abi()
    handled = _HANDLED_BY_ABI[min(version, 5)]
    attributes = struct.pack("=Q", handled)
    if version >= 4:
        attributes += struct.pack("=Q", 0b11)
    if version >= 6:
        attributes += struct.pack("=Q", 0b11)
    buffer = ctypes.create_string_buffer(attributes, len(attributes))
    ruleset = syscall("landlock_create_ruleset", ctypes.byref(buffer), len(attributes), 0)
    try:
        for paths, access in ((readable, READ_FILE | READ_DIR), (writable, WORK), (devices, READ_FILE | (1 << 1))):
            for path in paths:
                _allow(ruleset, path, access & handled)
        syscall("landlock_restrict_self", ruleset, 0)
    finally:
        os.close(ruleset)


def _allow(ruleset: int, path: str, access: int) -> None:
    try:
        handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return
    try:
        if not os.path.isdir(path):
            access &= _FILE_ONLY
        rule = ctypes.create_string_buffer(struct.pack("=Qi", access, handle), 12)
        syscall("landlock_add_rule", ruleset, 1, ctypes.byref(rule), 0)
    finally:
        os.close(handle)
