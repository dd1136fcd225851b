"""Untrusted programs, judged from outside: expected values never enter the sandbox.

A worker is a warm zygote under Landlock, system call filters, resource limits and no_new_privs, in namespaces of
its own and as an unprivileged user where the machine allows; each execution is a fork of it. Inputs go in one at a
time over the execution's own socket, plain data comes out, and trusted code here compares.

Covered: forged, repeated and malformed answers; exits, signals, patched builtins, objects that lie about equality;
CPU, waiting, memory, output, threads, files; other processes, users, networks and files of the machine; what one
execution leaves for the next. Not covered: faults of the kernel, timing and cache side channels, tests that accept
wrong answers, and answers that are right only on the inputs tested.

>>> with Pool(workers=1) as pool:
...     pool.verify("def f(x): return x", [Test(args=(1,), expected=2)], entry="f").detail
'test 1 of 1: f(1) gave 1, expected 2'
"""

from synth.sandbox.asserts import from_asserts
from synth.sandbox.backends import BACKENDS, Probe, probes
from synth.sandbox.case import Test
from synth.sandbox.casefile import dump_tests, load_tests
from synth.sandbox.errors import SandboxUnavailable
from synth.sandbox.limits import Limits
from synth.sandbox.pool import Job, Pool
from synth.sandbox.result import Output, Ran, Result

__all__ = [
    "BACKENDS",
    "Job",
    "Limits",
    "Output",
    "Pool",
    "Probe",
    "Ran",
    "Result",
    "SandboxUnavailable",
    "Test",
    "dump_tests",
    "from_asserts",
    "load_tests",
    "probes",
]
