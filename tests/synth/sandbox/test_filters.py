"""The system call filters of both machines, run by a small interpreter of classic BPF."""

from __future__ import annotations

import re
import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.sandbox.inside import seccomp, syscalls

PID = 4321
MACHINES = syscalls.MACHINES


def run(code: bytes, number: int, arch: int, args: tuple[int, ...] = ()) -> int:
    """The action of a filter for one call."""
    args = (args + (0,) * 6)[:6]
    data = struct.pack("<IIQ6Q", number, arch, 0, *args)
    steps = list(struct.iter_unpack("<HBBI", code))
    at = accumulator = 0
    while True:
        operation, yes, no, k = steps[at]
        at += 1
        if operation == 0x06:
            return int(k)
        if operation == 0x20:
            accumulator = struct.unpack_from("<I", data, k)[0]
        else:
            test = {0x15: accumulator == k, 0x35: accumulator >= k, 0x45: bool(accumulator & k)}[operation]
            at += yes if test else no


def decide(machine: str, name_or_number: str | int, *args: int, pid: int = PID) -> int:
    """What the kernel does for a candidate: the strictest of both filters."""
    tables = (syscalls.candidate, syscalls.conditional, syscalls.zygote, syscalls.missing)
    number = name_or_number
    if isinstance(number, str):
        number = next(table(machine)[number] for table in tables if number in table(machine))
    arch = seccomp.AUDIT[machine]
    actions = [
        run(code, number, arch, args)
        for code in (seccomp.zygote_filter(machine), seccomp.candidate_filter(pid, machine))
    ]
    return min(actions, key=lambda action: 0 if action == seccomp.KILL else 1 if action != seccomp.ALLOW else 2)


@pytest.mark.parametrize("machine", MACHINES)
def test_exactly_the_listed_calls_are_allowed(machine: str) -> None:
    allowed = set(syscalls.candidate(machine).values())
    conditional = set(syscalls.conditional(machine).values())
    for number in range(1024):
        if number not in conditional:
            assert (decide(machine, number) == seccomp.ALLOW) == (number in allowed), number
    assert decide(machine, "clone3") == seccomp.ABSENT


@pytest.mark.parametrize("machine", MACHINES)
def test_arguments_decide_where_they_must(machine: str) -> None:
    thread, process = 0x3D0F00, 0x1200011
    assert decide(machine, "clone", thread) == seccomp.ALLOW
    assert decide(machine, "clone", process) == seccomp.REFUSE
    assert decide(machine, "kill", PID, 9) == seccomp.ALLOW
    for other in (0, 1, PID + 1, 2**32 - 1, 2**64 - 1):
        assert decide(machine, "kill", other, 9) == seccomp.REFUSE
        assert decide(machine, "tgkill", other, 1, 9) == seccomp.REFUSE
    assert decide(machine, "prlimit64", 0) == decide(machine, "prlimit64", PID) == seccomp.ALLOW
    assert decide(machine, "prlimit64", 1) == seccomp.REFUSE
    assert decide(machine, "ioctl", 1, 0x5401) == seccomp.ALLOW
    assert decide(machine, "ioctl", 1, 0x5412) == seccomp.REFUSE
    assert decide(machine, "fcntl", 1, 3) == seccomp.ALLOW
    assert decide(machine, "fcntl", 1, 8) == seccomp.REFUSE
    assert decide(machine, "sendto", 3, 1, 1, 0, 0) == seccomp.ALLOW
    assert decide(machine, "sendto", 3, 1, 1, 0, 1 << 40) == seccomp.REFUSE


@given(st.integers(0, 2**32 - 1), st.integers(0, 2**32 - 1), st.sampled_from(MACHINES))
def test_a_foreign_architecture_always_kills(number: int, arch: int, machine: str) -> None:
    if arch != seccomp.AUDIT[machine]:
        assert run(seccomp.zygote_filter(machine), number, arch) == seccomp.KILL


@given(st.integers(0x40000000, 2**32 - 1))
def test_calls_of_x32_kill(number: int) -> None:
    assert decide("x86_64", number) == seccomp.KILL


@given(st.integers(1, 2**22))
def test_a_filter_made_beforehand_is_that_of_the_pid(pid: int) -> None:
    assert decide("x86_64", "kill", pid, pid=pid) == seccomp.ALLOW
    assert decide("x86_64", "kill", pid + 1, pid=pid) == seccomp.REFUSE


@pytest.mark.parametrize(
    ("machine", "header"),
    [("x86_64", "/usr/include/x86_64-linux-gnu/asm/unistd_64.h"), ("aarch64", "/usr/include/asm-generic/unistd.h")],
)
def test_numbers_are_those_of_the_kernel_headers(machine: str, header: str) -> None:
    if not Path(header).exists():
        pytest.skip(f"no {header}")
    known = dict(re.findall(r"#define __NR(?:3264)?_(\w+)\s+(\d+)", Path(header).read_text()))
    for table in (syscalls.candidate, syscalls.conditional, syscalls.zygote, syscalls.missing):
        for name, number in table(machine).items():
            asked = {"newfstatat": "fstatat"}.get(name, name) if machine == "aarch64" else name
            assert int(known[asked]) == number, name
