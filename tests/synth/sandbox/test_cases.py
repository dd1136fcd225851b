"""The handed list of small things that broke other sandboxes, each widened to its kind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from synth.sandbox import Limits, Pool, Test
from synth.sandbox.farside import Backend, interpreter_paths
from synth.sandbox.inside import libc
from warehouse.records import Judgement

from .attacks import HONEST, below
from .conftest import TIGHT

OK = [Test(args=(4,), expected=47)]


def verdict(pool: Pool, program: str | bytes, tests: list[Test] = OK, **options: object) -> Judgement:
    """The verdict, after which an honest program still passes on the same worker."""
    found = pool.verify(program, tests, entry="f", **options).verdict  # type: ignore[arg-type]
    assert pool.verify(HONEST, OK, entry="f").verdict is Judgement.PASS
    return found


MEMORY_OF_PLAIN = (
    "plain = []\ndef encode(s):\n    plain.append(s)\n    return 'x'\ndef decode(s):\n    return plain[-1]\n"
)
ROT = "def encode(s):\n    return s[::-1]\ndef decode(s):\n    return s[::-1]\n"
ROUND_TRIP = [Test(args=("hello",), through=("encode", "decode"), expected="hello")]


def test_a_round_trip_that_remembers_fails_in_fresh_processes(pool: Pool) -> None:
    assert pool.verify(MEMORY_OF_PLAIN, ROUND_TRIP, isolation="shared").reward == 1.0
    assert pool.verify(MEMORY_OF_PLAIN, ROUND_TRIP, isolation="fresh").verdict is Judgement.EXCEPTION
    assert pool.verify(ROT, ROUND_TRIP, isolation="fresh").verdict is Judgement.PASS


def test_state_is_kept_between_calls_only_where_the_task_shares_a_process(pool: Pool) -> None:
    counter = "n = 0\ndef f():\n    global n\n    n += 1\n    return n\n"
    assert pool.verify(counter, [Test(expected=1), Test(expected=2)], entry="f").reward == 1.0
    assert pool.verify(counter, [Test(expected=1), Test(expected=1)], entry="f", isolation="fresh").reward == 1.0


def test_a_class_is_made_and_its_methods_are_called_in_order(each_pool: Pool) -> None:
    stack = "class S:\n    def __init__(self, n): self.a = [n]\n    def push(self, x): self.a.append(x)\n"
    stack += "    def pop(self): return self.a.pop()\n"
    steps = (("push", (5,)), ("pop", ()), ("pop", ()))
    test = Test(entry="S", args=(3,), methods=steps, expected=[None, 5, 3])
    assert each_pool.verify(stack, [test]).reward == 1.0
    assert each_pool.verify(stack.replace("pop()", "pop(0)"), [test]).verdict is Judgement.WRONG
    solution = "class Solution:\n    def twice(self, x):\n        return 2 * x\n"
    assert each_pool.verify(solution, [Test(args=(4,), expected=8)], entry="Solution.twice").reward == 1.0


NOTE = """
import os, sys
for folder in ('/', '.', '/tmp', '/dev/shm', os.environ.get('TMPDIR', '.'), '/var/tmp', os.path.dirname(os.__file__)):
    try:
        open(os.path.join(folder, 'note'), 'w').write('found')
        os.makedirs(os.path.join(folder, 'a/b/c'))
        os.mkdir(os.path.join(folder, 'closed'), 0)
    except OSError:
        pass
def f(x):
    return 47
"""
READ_NOTE = """
import os
PLACES = ('/', '.', '/tmp', '/dev/shm', os.environ.get('TMPDIR', '.'), '/var/tmp', os.path.dirname(os.__file__))
def f(x):
    seen = []
    for folder in PLACES:
        try:
            open(os.path.join(folder, 'note')).read()
            seen.append(folder)
        except OSError:
            pass
    return seen or 47
"""


def test_no_note_reaches_a_later_program(each_pool: Pool) -> None:
    assert each_pool.verify(NOTE, OK, entry="f").reward == 1.0
    assert each_pool.verify(READ_NOTE, OK, entry="f").detail == "1 of 1 tests passed"


MANY_LARGE = "def f(x):\n    for i in range(200):\n        open(f'{i}', 'wb').write(bytes(1 << 20))\n    return 47\n"
MANY_SMALL = "def f(x):\n    for i in range(5000):\n        open(f'{i}', 'w').close()\n    return 47\n"
DEEP = "import os\ndef f(x):\n    for i in range(900):\n        os.mkdir('d')\n        os.chdir('d')\n    return 47\n"


@pytest.mark.parametrize("program", [MANY_LARGE, MANY_SMALL])
def test_the_work_folder_is_capped(each_pool: Pool, program: str) -> None:
    assert verdict(each_pool, program) is Judgement.EXCEPTION


def test_a_work_folder_that_cannot_be_emptied_costs_only_the_zygote(pool: Pool) -> None:
    assert verdict(pool, DEEP) is Judgement.PASS
    assert (
        verdict(pool, "import os\ndef f(x):\n    return os.listdir('.')\n", [Test(args=(0,), expected=[])]).value
        == "PASS"
    )


SLEEPERS = [
    "import os, signal\ndef f(x):\n    os.kill(os.getpid(), signal.SIGSTOP)\n",
    "import time\ndef f(x):\n    time.sleep(1000)\n",
    "import threading\ndef f(x):\n    threading.Event().wait()\n",
    "import os\ndef f(x):\n    os.read(os.pipe()[0], 1)\n",
    "import time\ntime.sleep(1000)\n",
    "import time\ndef f(x):\n    while True: time.sleep(0.01)\n",
]


@pytest.mark.parametrize("program", SLEEPERS)
def test_sleepers_meet_the_wall_limit(pool: Pool, program: str) -> None:
    limits = replace(TIGHT, wall_s=0.5)
    assert verdict(pool, program, limits=limits) is Judgement.TIMEOUT_WALL


SPINNERS = [
    "def f(x):\n    while True: pass\n",
    "while True: pass\n",
    "def f(x):\n    return 3 ** (10 ** 9)\n",
    "import re\ndef f(x):\n    return re.match('(a+)+$', 'a' * 60 + 'b')\n",
    "import threading\ndef f(x):\n    threading.Thread(target=f, args=(x,)).start()\n    while 1: pass\n",
    "import signal\nfor s in (2, 14, 15, 24, 26, 27):\n    signal.signal(s, signal.SIG_IGN)\n"
    "def f(x):\n    return sum(range(10 ** 15))\n",
]


@pytest.mark.parametrize("program", SPINNERS)
def test_spinners_meet_the_cpu_limit(pool: Pool, program: str) -> None:
    assert verdict(pool, program, limits=replace(TIGHT, cpu_s=0.3, wall_s=60)) is Judgement.TIMEOUT_CPU


def test_five_hundred_threads_fail_or_end_with_the_process(each_pool: Pool) -> None:
    program = "import threading\ndef f(x):\n    e = threading.Event()\n"
    program += "    for _ in range(500): threading.Thread(target=e.wait).start()\n    return 47\n"
    before = len(below(os.getpid()))
    assert verdict(each_pool, program) in (Judgement.EXCEPTION, Judgement.MEMORY)
    assert len(below(os.getpid())) == before


FIND_NONCE = """
import sys, os, time
def frame(text):
    return len(text).to_bytes(4, 'little') + text
def nonce():
    at = sys._getframe()
    while at:
        for value in at.f_locals.values():
            if isinstance(value, dict) and isinstance(value.get('n'), str):
                return value['n'].encode()
        at = at.f_back
"""
REPLIES = {
    "right, then ours": b'{"n":"%s","v":47}',
    "deep": b'{"n":"%s","v":' + b"[" * 100_000 + b"]" * 100_000 + b"}",
    "deep tuples": b'{"n":"%s","v":' + b'{"t":[' * 2000 + b"]}" * 2000 + b"}",
    "digits": b'{"n":"%s","v":' + b"9" * 100_000 + b"}",
    "nan": b'{"n":"%s","v":NaN}',
    "infinity": b'{"n":"%s","v":1e999}',
    "not utf-8": b'{"n":"%s","v":"\xff\xfe"}',
    "extra key": b'{"n":"%s","v":47,"passed":true}',
    "two values": b'{"n":"%s","v":47,"v":47}',
    "two kinds": b'{"n":"%s","v":47,"x":"no"}',
    "not an object": b'["%s",47]',
    "unknown tag": b'{"n":"%s","v":{"pickle":"x"}}',
    "two tags": b'{"n":"%s","v":{"t":[],"s":[]}}',
    "unhashable": b'{"n":"%s","v":{"s":[[1]]}}',
    "a key twice": b'{"n":"%s","v":{"d":[[1,2],[1,3]]}}',
    "odd hex": b'{"n":"%s","v":{"i":"0x1"}}',
    "fraction over zero": b'{"n":"%s","v":{"q":[1,0]}}',
    "decimal": b'{"n":"%s","v":{"m":"1e99999999999999999999"}}',
    "tag of wrong type": b'{"n":"%s","v":{"t":5}}',
    "other nonce": b'{"n":"0%s","v":47}',
    "no JSON": b"%s",
    "empty": b"",
    "huge length": None,
}


@pytest.mark.parametrize("name", REPLIES)
def test_a_forged_reply_is_a_violation(pool: Pool, name: str) -> None:
    body = REPLIES[name]
    program = FIND_NONCE + f"BODY = {body!r}\n"
    sent = "b'\\xff' * 4 + b'x' * 100" if body is None else "frame(BODY.replace(b'%s', nonce()))"
    program += f"def f(x):\n    try:\n        os.write(3, {sent})\n    except OSError: pass\n    return 47\n"
    assert verdict(pool, program) is Judgement.VIOLATION


def test_a_late_second_reply_is_a_violation(pool: Pool) -> None:
    program = FIND_NONCE + "import threading\ndef f(x):\n    n = nonce()\n    def late():\n        time.sleep(0.01)\n"
    program += '        while True: os.write(3, frame(b\'{"n":"%s","v":0}\' % n))\n'
    program += "    threading.Thread(target=late, daemon=True).start()\n    time.sleep(0.02)\n    return 47\n"
    assert verdict(pool, program) is Judgement.VIOLATION


NUMBERS = {"prctl": 157, "unshare": 272, "mount": 165, "bpf": 321, "io_uring_setup": 425, "keyctl": 250}
NUMBERS |= {"ptrace": 101, "setns": 308, "userfaultfd": 323, "perf_event_open": 298, "pidfd_open": 434}


@pytest.mark.skipif(libc.MACHINE != "x86_64", reason="numbers of x86_64")
@pytest.mark.parametrize("name", NUMBERS)
def test_calls_beyond_the_list_are_refused(each_pool: Pool, name: str) -> None:
    program = "import ctypes, os\ndef f(x):\n    libc = ctypes.CDLL(None, use_errno=True)\n"
    program += f"    return libc.syscall({NUMBERS[name]}, 0, 0, 0, 0, 0), ctypes.get_errno()\n"
    assert verdict(each_pool, program, [Test(args=(0,), expected=(-1, 1))]) is Judgement.PASS


@pytest.mark.skipif(libc.MACHINE != "x86_64", reason="a foreign architecture of x86_64")
def test_calls_of_a_foreign_architecture_kill(each_pool: Pool) -> None:
    x32 = "import ctypes\ndef f(x):\n    ctypes.CDLL(None).syscall(0x40000000 + 39)\n    return 47\n"
    i386 = "import ctypes, mmap\ndef f(x):\n    code = bytes.fromhex('b814000000cd80c3')\n"
    i386 += "    page = mmap.mmap(-1, 4096, prot=7)\n    page.write(code)\n"
    i386 += "    ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()\n    return 47\n"
    assert verdict(each_pool, x32) is Judgement.CRASH
    assert verdict(each_pool, i386) is Judgement.CRASH


SPIN = """
import sys, threading, time
from synth.sandbox import Limits, Pool, Test
pool = Pool(workers=2, limits=Limits(cpu_s=60), backend=sys.argv[1])
for _ in range(2):
    work = lambda: pool.verify("def f(x):\\n    while True: pass\\n", [Test(args=(1,))], entry="f")
    threading.Thread(target=work, daemon=True).start()
print("spinning", flush=True)
time.sleep(60)
"""


def test_nothing_outlives_a_killed_judge(each_pool: Pool) -> None:
    root = Path(__file__).parents[3]
    judge = subprocess.Popen(
        [sys.executable, "-c", SPIN, each_pool.backend.name], stdout=subprocess.PIPE, cwd=root, text=True
    )
    assert judge.stdout is not None
    assert judge.stdout.readline() == "spinning\n"
    until = time.monotonic() + 60
    while len(left := below(judge.pid)) < 6 and time.monotonic() < until:
        time.sleep(0.05)
    assert len(left) >= 6
    judge.kill()
    judge.wait()
    judge.stdout.close()
    until = time.monotonic() + 10
    while any(os.path.exists(f"/proc/{pid}") for pid in left) and time.monotonic() < until:
        time.sleep(0.05)
    assert [pid for pid in left if os.path.exists(f"/proc/{pid}")] == []


LISTINGS = ["/proc", "/etc", "/home", "/root", "/tmp", "/sys", "/var", "/proc/self/fd"]


@pytest.mark.parametrize("place", LISTINGS)
def test_listing_the_machine_is_refused(each_pool: Pool, place: str) -> None:
    ours = sorted({part for path in interpreter_paths() for part in path.split("/")})
    program = f"import os\ndef f(x):\n    return [n for n in os.listdir({place!r}) if n not in {ours!r}]\n"
    found = each_pool.run(program, [Test(args=(0,))], entry="f").outputs[0]
    assert found.raised in ("FileNotFoundError", "PermissionError") or found.value == []


def test_answers_from_a_random_generator_are_unstable(pool: Pool) -> None:
    for source in ("random.random()", "os.urandom(8)", "time.time()", "hash('a')", "id(object()) + time.time_ns()"):
        program = f"import os, random, time\ndef f(x):\n    return {source}\n"
        assert verdict(pool, program, replays=3) is Judgement.UNSTABLE


def test_order_by_hash_seed_is_unstable_unless_the_test_ignores_order(pool: Pool) -> None:
    program = "def f(x):\n    return list(set('abcdefgh'))\n"
    strict = [Test(args=(1,), expected=list("abcdefgh"))]
    assert verdict(pool, program, strict, replays=3) is Judgement.UNSTABLE
    assert verdict(pool, program, [replace(strict[0], unordered=True)], replays=3) is Judgement.PASS
    assert verdict(pool, "def f(x):\n    return sorted('hgfedcba')\n", strict, replays=3) is Judgement.PASS


@pytest.mark.parametrize("how", ["os.close(3)", "os.closerange(3, 64)", "os.dup2(1, 3)", "os.shutdown"])
def test_closing_the_reply_channel_is_a_failure(each_pool: Pool, how: str) -> None:
    if how == "os.shutdown":
        how = "__import__('socket').socket(fileno=3).shutdown(2)"
    program = f"import os\ndef f(x):\n    {how}\n    return 47\n"
    assert verdict(each_pool, program) in (Judgement.CRASH, Judgement.VIOLATION)


def test_a_channel_that_is_closed_while_the_program_spins_ends_it(pool: Pool) -> None:
    program = "import os, time\ndef f(x):\n    os.close(3)\n    time.sleep(1000)\n"
    assert verdict(pool, program) is Judgement.CRASH


def test_the_zygote_cannot_be_reached(each_pool: Pool) -> None:
    """Signals to anything but the process itself are refused, so that a candidate cannot cause an INFRA."""
    program = (
        "import os, signal\ndef f(x):\n    done = []\n    for pid in (1, 2, os.getppid(), -1, 0, x):\n        try:\n"
    )
    program += "            os.kill(pid, signal.SIGKILL)\n            done.append(pid)\n        except OSError: pass\n"
    program += "    return done or 47\n"
    assert verdict(each_pool, program, [Test(args=(os.getpid(),), expected=47)]) is Judgement.PASS


def test_ten_gigabytes_are_refused_and_numpy_has_its_profile(pool: Pool) -> None:
    for program in (
        "def f(x):\n    return len(bytearray(10 << 30))\n",
        "def f(x):\n    a = []\n    while True: a.append(bytes(1 << 20))\n",
        "x = [0] * (10 ** 10)\n",
    ):
        assert verdict(pool, program) is Judgement.MEMORY
    program = (
        "import numpy as np\ndef f(x):\n    return np.arange(x).sum(), np.linalg.inv(np.eye(2)), np.float64(0.5)\n"
    )
    test = [Test(args=(4,), expected=(6, [[1.0, 0.0], [0.0, 1.0]], 0.5))]
    assert verdict(pool, program, test) is Judgement.LOAD_ERROR
    assert verdict(pool, program, test, limits=Limits(profile="numpy")) is Judgement.PASS
    huge = "import numpy as np\ndef f(x):\n    return np.ones(10 ** 10).sum()\n"
    assert verdict(pool, huge, limits=Limits(profile="numpy")) in (Judgement.MEMORY, Judgement.EXCEPTION)


def test_site_packages_cannot_be_written(each_pool: Pool) -> None:
    program = "import os, sys\ndef f(x):\n    for folder in sys.path + [os.path.dirname(os.__file__)]:\n        try:\n"
    program += (
        "            open(folder + '/sitecustomize.py', 'w')\n            return folder\n        except OSError: pass\n"
    )
    assert verdict(each_pool, program + "    return 47\n") is Judgement.PASS


def test_without_any_isolation_nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    from synth.sandbox import SandboxUnavailable, backends

    bare = Backend("bare", namespaces=False, landlock=False)
    assert not backends.probe(bare).works
    monkeypatch.setattr(backends, "BACKENDS", (bare,))
    with pytest.raises(SandboxUnavailable, match="no isolation works"):
        Pool(workers=1)


FLOODS = [
    "import os\nfor _ in range(30):\n    os.write(1, b'A' * (1 << 20))\ndef f(x):\n    return 0\n",
    "def f(x):\n    return 'A' * (60 << 20)\n",
    "def f(x):\n    return list(range(10 ** 6))\n",
    "def f(x):\n    raise ValueError('A' * (60 << 20))\n",
    "import os\ndef f(x):\n    while True: os.write(3, b'A' * (1 << 20))\n",
    "def f(x):\n    a = []\n    for _ in range(60): a = [a, a]\n    return a\n",
]


def resident_kb() -> int:
    """Memory of this process now."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE") // 1024


def test_no_flood_grows_the_judge(pool: Pool) -> None:
    for program in FLOODS:
        assert pool.verify(program, OK, entry="f", limits=replace(TIGHT, cpu_s=1)).reward == 0.0
    before = resident_kb()
    for program in FLOODS:
        verdict(pool, program, limits=replace(TIGHT, cpu_s=1))
    assert resident_kb() - before < 1024
