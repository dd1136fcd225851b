"""System call filters in classic BPF: an allow-list for the zygote, and what a candidate loses on top of it.

Covered: every call outside the allow-list fails with EPERM; calls of a foreign architecture (x32 included)
kill the process; a candidate cannot create processes (threads only), signal others, change credentials,
namespaces, mounts or attributes of files, open network or named sockets, send to an address, run programs,
or install filters. Not covered: arguments behind pointers, which a filter cannot read.
"""

from __future__ import annotations

import ctypes
import struct

from . import syscalls
from .libc import MACHINE, set_filter

ALLOW = 0x7FFF0000
KILL = 0x80000000
REFUSE = 0x00050000 | 1
ABSENT = 0x00050000 | 38

AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
X32_BIT = 0x40000000
CLONE_THREAD = 0x00010000
HARMLESS_IOCTLS = (0x5401, 0x5413, 0x5421, 0x541B, 0x5450, 0x5451)
"""TCGETS, TIOCGWINSZ, FIONBIO, FIONREAD, FIONCLEX, FIOCLEX."""

HARMLESS_FCNTLS = (0, 1, 2, 3, 4, 5, 6, 7, 36, 37, 38, 1030, 1032)
"""Duplicate, flags, locks, pipe size read; not owners and signals, leases, notifications, pipe size."""

_LOAD, _EQUAL, _AT_LEAST, _ANY_BIT, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCH, _ARGS = 0, 4, 16

ANYONE = 0x7FABCDEF
"""Stands for the candidate's own pid in a filter that is not yet installed; above every possible pid."""

_PLACE = struct.pack("=I", ANYONE)

Step = tuple[int, int, int, int]


def _load(offset: int) -> Step:
    return (_LOAD, 0, 0, offset)


def _return(action: int) -> Step:
    return (_RETURN, 0, 0, action)


def _low(arg: int) -> int:
    return _ARGS + 8 * arg


def _tree(edges: list[tuple[int, int]]) -> list[Step]:
    """A binary search over sorted (first number, action) edges."""
    if len(edges) == 1:
        return [_return(edges[0][1])]
    middle = len(edges) // 2
    below, above = _tree(edges[:middle]), _tree(edges[middle:])
    return [(_AT_LEAST, len(below), 0, edges[middle][0]), *below, *above]


def zygote_filter(machine: str = MACHINE) -> bytes:
    """The allow-list of everything that the zygote and its candidates may call."""
    actions = dict.fromkeys(syscalls.candidate(machine).values(), ALLOW)
    actions |= dict.fromkeys(syscalls.conditional(machine).values(), ALLOW)
    actions |= dict.fromkeys(syscalls.zygote(machine).values(), ALLOW)
    actions |= dict.fromkeys(syscalls.missing(machine).values(), ABSENT)
    edges: list[tuple[int, int]] = []
    for number in range(max(actions) + 2):
        action = actions.get(number, REFUSE)
        if not edges or edges[-1][1] != action:
            edges.append((number, action))
    if machine == "x86_64":
        edges.append((X32_BIT, KILL))
    head = [_load(_ARCH), (_EQUAL, 1, 0, AUDIT[machine]), _return(KILL), _load(_NUMBER)]
    return _assemble(head + _tree(edges))


def candidate_filter(pid: int = ANYONE, machine: str = MACHINE) -> bytes:
    """What process `pid` loses when it becomes a candidate."""
    special = syscalls.conditional(machine)
    steps = [_load(_NUMBER)]
    for number in syscalls.zygote(machine).values():
        steps += [(_EQUAL, 0, 1, number), _return(REFUSE)]
    steps += _when(special["clone"], [_load(_low(0)), (_ANY_BIT, 0, 1, CLONE_THREAD), _return(ALLOW)])
    for name in ("kill", "tgkill"):
        steps += _when(special[name], [_load(_low(0)), (_EQUAL, 0, 1, pid), _return(ALLOW)])
    steps += _when(special["ioctl"], _one_of(1, HARMLESS_IOCTLS))
    steps += _when(special["fcntl"], _one_of(1, HARMLESS_FCNTLS))
    own: list[Step] = [_load(_low(0)), (_EQUAL, 1, 0, 0), (_EQUAL, 0, 1, pid), _return(ALLOW)]
    steps += _when(special["prlimit64"], own)
    unaddressed: list[Step] = [_load(_low(4)), (_EQUAL, 0, 3, 0), _load(_low(4) + 4), (_EQUAL, 0, 1, 0)]
    steps += _when(special["sendto"], [*unaddressed, _return(ALLOW)])
    return _assemble([*steps, _return(ALLOW)])


def _one_of(arg: int, values: tuple[int, ...]) -> list[Step]:
    """Allows the call when its argument is one of `values`."""
    steps: list[Step] = [_load(_low(arg))]
    for value in values:
        steps += [(_EQUAL, 0, 1, value), _return(ALLOW)]
    return steps


def _when(number: int, body: list[Step]) -> list[Step]:
    """`body` for one call, which ends in a refusal; other calls jump over it."""
    block = [*body, _return(REFUSE)]
    return [(_EQUAL, 0, len(block), number), *block]


def _assemble(steps: list[Step]) -> bytes:
    return b"".join(struct.pack("<HBBI", *step) for step in steps)


class Filter:
    """A filter made ready for installation, so that a fresh fork touches little memory."""

    def __init__(self, code: bytes) -> None:
        self._code = ctypes.create_string_buffer(code, len(code))
        header = struct.pack("@HxxxxxxP", len(code) // 8, ctypes.addressof(self._code))
        self._program = ctypes.create_string_buffer(header, len(header))
        self._address = ctypes.addressof(self._program)
        places = [i + 4 for i in range(0, len(code), 8) if code[i + 4 : i + 8] == _PLACE]
        self._pids = [ctypes.c_uint32.from_buffer(self._code, place) for place in places]

    def install(self, pid: int = 0) -> None:
        """Puts this process, for good, under the filter, which names `pid`; needs no_new_privs."""
        for place in self._pids:
            place.value = pid
        set_filter(self._address)
