"""Workers: what is ours stays apart from verdicts, what breaks is replaced, nothing grows."""

from __future__ import annotations

import os
import signal
import tempfile
import threading
from collections import Counter
from pathlib import Path

import pytest

from synth.sandbox import BACKENDS, Job, Limits, Pool, Test, farside, from_asserts, probes
from warehouse.errors import UserError
from warehouse.records import Judgement

from .attacks import below, held
from .conftest import read_gzip

PROGRAM = "def f(x):\n    return x + 1\n"
TESTS = [Test(args=(x,), expected=x + 1) for x in range(5)]


def test_a_lost_zygote_is_replaced() -> None:
    with Pool(workers=1) as pool:
        assert pool.verify(PROGRAM, TESTS, entry="f").reward == 1.0
        for victim in below(os.getpid()):
            os.kill(victim, signal.SIGKILL)
        assert pool.verify(PROGRAM, TESTS, entry="f").reward == 1.0


def test_a_machine_that_cannot_start_a_zygote_is_our_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    with Pool(workers=1) as pool:
        monkeypatch.setattr(farside, "_python", lambda: "/nonexistent/python")
        result = pool.verify(PROGRAM, TESTS, entry="f")
        assert (result.verdict, result.reward) == (Judgement.INFRA, None)
        monkeypatch.undo()
        assert pool.verify(PROGRAM, TESTS, entry="f").reward == 1.0


def test_a_program_whose_process_is_always_lost_is_blamed_only_when_honest_ones_are_not() -> None:
    """A thread here plays a candidate that can kill its zygote."""
    program = "import time\ndef f(x):\n    time.sleep(3)\n    return x + 1\n"
    with Pool(workers=1) as pool:
        pool.verify(PROGRAM, TESTS, entry="f")
        done = threading.Event()

        def kill() -> None:
            while not done.wait(1.0):
                for victim in below(os.getpid())[-1:]:
                    os.kill(victim, signal.SIGKILL)

        killer = threading.Thread(target=kill)
        killer.start()
        try:
            result = pool.verify(program, TESTS[:1], entry="f")
        finally:
            done.set()
            killer.join()
        assert result.verdict in (Judgement.CRASH, Judgement.INFRA)
        assert pool.verify(PROGRAM, TESTS, entry="f").reward == 1.0


def test_nothing_grows_over_many_executions(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    tmp_path.chmod(0o755)
    bad = ["import os\nos._exit(1)\n", "def f(x):\n    open('note', 'w').write('x')\n", "def f(:\n", "1/0\n"]
    at_first = below(os.getpid())
    with Pool(workers=2) as pool:
        pool.verify_many([Job(PROGRAM, TESTS, "f")] * 20)
        before, files = held(), set(os.listdir(tmp_path))
        pool.verify_many([Job(program, TESTS, "f") for program in [PROGRAM, *bad] * 40])
        assert held() == before
        assert set(os.listdir(tmp_path)) <= files
    assert below(os.getpid()) == at_first


def test_closing_ends_every_process_and_descriptor() -> None:
    before = held()
    for _ in range(3):
        with Pool(workers=2) as pool:
            pool.verify(PROGRAM, TESTS, entry="f", replays=3)
    assert held() == before


def test_a_forked_copy_of_a_pool_is_refused_and_hurts_nothing() -> None:
    with Pool(workers=1) as pool:
        pool.verify(PROGRAM, TESTS, entry="f")
        pid = os.fork()
        if pid == 0:
            try:
                pool.verify(PROGRAM, TESTS, entry="f")
            except UserError:
                pool.close()
                os._exit(7)
            os._exit(1)
        assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7
        assert pool.verify(PROGRAM, TESTS, entry="f").reward == 1.0


def test_run_gives_values_and_what_was_raised(pool: Pool) -> None:
    ran = pool.run("def f(x):\n    return {x: 1 / x}\n", [Test(args=(2,)), Test(args=(0,)), Test(args=(4,))], entry="f")
    assert ran.verdict is Judgement.EXCEPTION
    assert ran.values == [{2: 0.5}, None, {4: 0.25}]
    assert ran.outputs[1].raised == "ZeroDivisionError"
    assert pool.run("print(int(input()) * 2)", [Test(stdin="4")]).values == [b"8\n"]
    assert pool.run("def f(:", [Test()], entry="f").verdict is Judgement.LOAD_ERROR


def test_results_count_what_passed(pool: Pool) -> None:
    result = pool.verify("def f(x):\n    return x + 1 if x < 3 else 0\n", TESTS, entry="f")
    assert (result.verdict, result.passed, result.total) == (Judgement.WRONG, 3, 5)
    assert result.detail == "test 4 of 5: f(3) gave 0, expected 4"
    result = pool.verify("import os\ndef f(x):\n    return x + 1 if x < 2 else os._exit(0)\n", TESTS, entry="f")
    assert (result.verdict, result.passed) == (Judgement.CRASH, 2)
    fresh = pool.verify(
        "import os\ndef f(x):\n    return x + 1 if x != 2 else os._exit(0)\n", TESTS, entry="f", isolation="fresh"
    )
    assert (fresh.verdict, fresh.passed) == (Judgement.CRASH, 4)


def test_every_backend_has_a_probe() -> None:
    found = probes()
    assert [probe.name for probe in found] == [backend.name for backend in BACKENDS]
    assert any(probe.works for probe in found)
    assert all(probe.detail for probe in found)


def test_verdicts_on_model_written_programs_are_stable(corpora: Path) -> None:
    """One sample of every fourth task, thrice; `benchmarks/humaneval_samples.py` judges all of them."""
    entries = {task["entry_point"]: task for task in read_gzip(corpora / "HumanEval.jsonl.gz")}
    rows = read_gzip(corpora / "humaneval_codegen16b_samples.jsonl.gz")
    jobs = []
    for row in rows[::4]:
        name = row["prompt"].rsplit("\ndef ", 1)[-1].removeprefix("def ").split("(")[0]
        task = entries[name]
        reference = task["prompt"] + task["canonical_solution"]
        tests = from_asserts(task["test"], entry=name, prelude=reference)
        jobs += [Job(row["prompt"] + sample, tests, name, limits=Limits(cpu_s=1)) for sample in row["samples"][:2]]
    with Pool(workers=2) as pool:
        runs = [[result.verdict for result in pool.verify_many(jobs)] for _ in range(3)]
    assert runs[0] == runs[1] == runs[2]
    print(Counter(map(str, runs[0])))
    assert Counter(runs[0])[Judgement.PASS] > 5


def test_honest_programs_pass_however_many_workers_are_asked_for() -> None:
    busy = "import time\ndef f(x):\n    end = time.process_time() + 0.3\n"
    busy += "    while time.process_time() < end:\n        pass\n    return x + 1\n"
    job = Job(busy, TESTS[:1], "f", limits=Limits(cpu_s=2, wall_s=1))
    with Pool(workers=40) as pool:
        verdicts = Counter(result.verdict for result in pool.verify_many([job] * 24))
    assert verdicts == {Judgement.PASS: 24}
