"""Untrusted programs, judged from outside: expected values never enter the sandbox.

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
