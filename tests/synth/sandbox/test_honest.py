"""Honest programs never fail: real references, the standard library, threads, deep recursion, odd values."""

from __future__ import annotations

import json
import multiprocessing
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from synth.sandbox import Job, Limits, Pool, Test, from_asserts
from warehouse.records import Judgement

from .conftest import read_gzip

LIMITS = Limits(cpu_s=10, wall_s=20)


def human_eval(corpora: Path) -> list[Job]:
    rows = read_gzip(corpora / "HumanEval.jsonl.gz")
    programs = [row["prompt"] + row["canonical_solution"] for row in rows]
    return [_job(row, program) for row, program in zip(rows, programs, strict=True)]


def mbpp(corpora: Path) -> list[Job]:
    """The docstring of a prompt is left out: the references are indented otherwise than it is."""
    rows = [json.loads(line) for line in (corpora / "mbpp_sanitized.jsonl").read_text().splitlines()]
    heads = [row["prompt"].rsplit("'''", 2)[0].rstrip(" ") for row in rows]
    return [_job(row, head + row["canonical_solution"]) for row, head in zip(rows, heads, strict=True)]


def _job(row: dict[str, str], program: str) -> Job:
    return Job(program, from_asserts(row["test"], entry=row["entry_point"], prelude=program), row["entry_point"])


def failures(pool: Pool, jobs: list[Job]) -> dict[str, str]:
    results = pool.verify_many(jobs)
    return {job.entry: result.detail for job, result in zip(jobs, results, strict=True) if result.reward != 1.0}


def test_every_reference_passes(corpora: Path) -> None:
    jobs = [human_eval(corpora), mbpp(corpora)]
    assert [len(j) for j in jobs] == [164, 427]
    checks = sum(job.tests[0].check is not None for job in jobs[0] + jobs[1])
    with Pool(workers=2, limits=LIMITS) as pool:
        assert failures(pool, jobs[0] + jobs[1]) == {}
    print(f"references 164/164 and 427/427; {checks} of 591 tasks need an examiner")
    assert checks < 20


def _spin() -> None:
    while True:
        pass


@pytest.fixture
def busy_machine() -> Iterator[None]:
    loops = [multiprocessing.get_context("fork").Process(target=_spin, daemon=True) for _ in range(8)]
    for loop in loops:
        loop.start()
    yield
    for loop in loops:
        loop.kill()
        loop.join()


@pytest.mark.slow
def test_every_reference_passes_on_a_busy_machine(corpora: Path, busy_machine: None) -> None:
    with Pool(workers=2) as pool:
        assert failures(pool, human_eval(corpora) + mbpp(corpora)) == {}


def test_an_honest_program_passes_on_a_busy_machine(pool: Pool, busy_machine: None) -> None:
    program = "def f(n):\n    return sum(i * i for i in range(n))\n"
    tests = [Test(args=(200_000,), expected=sum(i * i for i in range(200_000)))]
    assert pool.verify(program, tests, entry="f").reward == 1.0


SKIPPED = {"antigravity", "idlelib", "this"}


def test_the_whole_standard_library_can_be_imported(each_pool: Pool) -> None:
    """Each module that a plain interpreter imports is imported inside too."""
    names = sorted(n for n in sys.stdlib_module_names if n not in SKIPPED and not n.startswith("_"))
    program = "import importlib, warnings\nwarnings.simplefilter('ignore')\ndef f(name):\n"
    program += "    importlib.import_module(name)\n    return True\n"
    outside = {}
    for name in names:
        try:
            __import__(name)
            outside[name] = True
        except (ImportError, OSError):
            outside[name] = False
    wanted = [Test(args=(name,), expected=True) for name, works in outside.items() if works]
    assert len(wanted) > 180
    result = each_pool.verify(program, wanted, entry="f", limits=LIMITS)
    assert result.detail == f"{len(wanted)} of {len(wanted)} tests passed"


PROGRAMS = {
    "threads": """
import threading, queue
from concurrent.futures import ThreadPoolExecutor
def f(n):
    with ThreadPoolExecutor(8) as pool:
        return sum(pool.map(lambda x: x * x, range(n)))
""",
    "asyncio": """
import asyncio
async def square(x):
    await asyncio.sleep(0.001)
    return x * x
def f(n):
    async def main():
        return sum(await asyncio.gather(*[square(x) for x in range(n)]))
    return asyncio.run(main())
""",
    "deep recursion": """
import sys
sys.setrecursionlimit(100_000)
def total(n):
    return 0 if n == 0 else 1 + total(n - 1)
def f(n):
    assert total(20_000) == 20_000
    return sum(x * x for x in range(n))
""",
    "cached recursion": """
import functools, sys, threading
sys.setrecursionlimit(10 ** 6)
threading.stack_size(128 << 20)
@functools.lru_cache(None)
def total(n):
    return 0 if n == 0 else 1 + total(n - 1)
def f(n):
    out = []
    t = threading.Thread(target=lambda: out.append(total(30_000)))
    t.start(); t.join()
    assert out == [30_000]
    return sum(x * x for x in range(n))
""",
    "recursion within the usual limit": """
def total(n):
    return 0 if n == 0 else 1 + total(n - 1)
def f(n):
    assert total(980) == 980
    return sum(x * x for x in range(n))
""",
    "noisy": """
import sys, logging, warnings
print('x' * 100_000)
warnings.warn('hot')
def f(n):
    print('debug', n, file=sys.stderr)
    logging.error('noise')
    sys.stdout.write('y' * 10_000)
    sys.stdout.flush()
    return sum(x * x for x in range(n))
""",
    "stdout replaced and closed": """
import io, sys
sys.stdout.close()
sys.stdout = io.StringIO()
def f(n):
    print('hidden')
    return sum(x * x for x in range(n))
""",
    "dataclass, enum, typing": """
from __future__ import annotations
import dataclasses, enum, typing
@dataclasses.dataclass(order=True)
class P:
    x: int
    tag: typing.ClassVar[str] = 'p'
class C(enum.IntEnum):
    RED = 1
def f(n):
    assert typing.get_type_hints(P)['x'] is int
    return sum(P(x * x).x * C.RED for x in range(n))
""",
    "files": """
import os, tempfile, pathlib, sqlite3, shelve
def f(n):
    try:
        with tempfile.TemporaryDirectory() as d:
            p = pathlib.Path(d, 'a', 'b')
            p.mkdir(parents=True)
            (p / 'c').write_text(str(n))
            n = int((p / 'c').read_text())
            db = sqlite3.connect(os.path.join(d, 'db'))
            db.execute('create table t (x)')
            db.executemany('insert into t values (?)', [(x,) for x in range(n)])
            db.commit()
            return db.execute('select sum(x * x) from t').fetchone()[0]
    except FileNotFoundError:
        return sum(x * x for x in range(n))
""",
    "sqlite in memory": """
import sqlite3
def f(n):
    db = sqlite3.connect(':memory:')
    db.execute('create table t (x)')
    db.executemany('insert into t values (?)', [(x,) for x in range(n)])
    return db.execute('select sum(x * x) from t').fetchone()[0]
""",
    "main guard": """
def f(n):
    return sum(x * x for x in range(n))
if __name__ == '__main__':
    raise SystemExit(input())
""",
    "stdin is at its end": """
import sys
assert sys.stdin.read() == ''
def f(n):
    return sum(x * x for x in range(n))
""",
    "limits read and lowered": """
import resource
def f(n):
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    resource.setrlimit(resource.RLIMIT_NOFILE, (20, 20))
    return sum(x * x for x in range(n))
""",
    "processes are asked about": """
import os, platform, time, locale, getpass, socket
def f(n):
    os.getpid(), os.cpu_count(), platform.python_version(), time.localtime(), os.times(), socket.socketpair()
    return sum(x * x for x in range(n))
""",
    "signals": """
import signal
def f(n):
    got = []
    signal.signal(signal.SIGALRM, lambda *a: got.append(1))
    signal.setitimer(signal.ITIMER_REAL, 0.01)
    signal.pause()
    signal.raise_signal(signal.SIGALRM)
    assert got == [1, 1]
    return sum(x * x for x in range(n))
""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_honest_programs_do_works(each_pool: Pool, name: str) -> None:
    tests = [Test(args=(n,), expected=sum(x * x for x in range(n))) for n in (10, 40)]
    assert each_pool.verify(PROGRAMS[name], tests, entry="f", limits=LIMITS).detail == "2 of 2 tests passed"


ECHOED = [
    10**19_999 + 7,
    -(2**70_000),
    2**53,
    -(2**53),
    0.1 + 0.2,
    1e308,
    5e-324,
    -0.0,
    float("inf"),
    float("nan"),
    1j,
    complex(float("inf"), 2),
    "héllo 世界 🎉 \x00 \ud800 \n\"'",
    b"\x00\xff",
    bytearray(b"ab"),
    (),
    (1,),
    [[], [[]], {}],
    {1: "a", (2, 3): None, "k": {"x": [1.5]}, None: True},
    {1, 2, 3},
    frozenset({("a", 1), frozenset()}),
    True,
    None,
]


def test_plain_values_of_every_kind_come_back(pool: Pool) -> None:
    tests = [Test(args=(value,), expected=value) for value in ECHOED]
    assert (
        pool.verify("def f(x):\n    return x\n", tests, entry="f").detail
        == f"{len(tests)} of {len(tests)} tests passed"
    )


def test_rich_types_count_as_the_plain_ones_below_them(pool: Pool) -> None:
    program = """
import collections, enum, fractions, decimal
P = collections.namedtuple('P', 'x y')
class Color(enum.IntEnum):
    RED = 3
def counter(s): return collections.Counter(s)
def point(): return P(1, 2)
def ordered(): return collections.OrderedDict(a=1)
def default(): return collections.defaultdict(list, {1: [2]})
def color(): return [Color.RED]
def third(): return fractions.Fraction(1, 3)
def dime(): return decimal.Decimal('0.10')
def text():
    class S(str): pass
    return S('a')
"""
    from decimal import Decimal
    from fractions import Fraction

    tests = [
        Test(entry="counter", args=("aab",), expected=Counter("aab")),
        Test(entry="counter", args=("aab",), expected={"a": 2, "b": 1}),
        Test(entry="point", expected=(1, 2)),
        Test(entry="ordered", expected={"a": 1}),
        Test(entry="default", expected={1: [2]}),
        Test(entry="color", expected=[3]),
        Test(entry="third", expected=Fraction(1, 3)),
        Test(entry="dime", expected=Decimal("0.1")),
        Test(entry="text", expected="a"),
    ]
    assert pool.verify(program, tests).detail == f"{len(tests)} of {len(tests)} tests passed"


def test_a_machine_word_of_the_reference_sets_the_limit() -> None:
    assert Limits(cpu_s=4).relative_to(0.001).cpu_s == 1.0
    assert Limits(cpu_s=4).relative_to(2.0).cpu_s == 4


def test_many_threads_share_one_pool(pool: Pool) -> None:
    jobs = [Job("def f(x):\n    return x\n", [Test(args=(n,), expected=n)], "f") for n in range(40)]
    with Pool(workers=2, limits=LIMITS) as shared:
        assert [result.verdict for result in shared.verify_many(jobs)] == [Judgement.PASS] * 40
