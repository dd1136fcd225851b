"""Assert statements become calls and expected values, or a check that an examiner runs."""

from __future__ import annotations

from dataclasses import replace

import pytest

from synth.sandbox import Pool, Test, dump_tests, from_asserts
from warehouse.errors import UserError
from warehouse.records import Judgement


def one(source: str) -> Test:
    (test,) = from_asserts(source, entry="f")
    return test


def test_simple_asserts_hold_plain_values() -> None:
    assert one("assert f(1, [2], k='a') == (3, {4: 5})") == Test(
        args=(1, [2]), kwargs={"k": "a"}, expected=(3, {4: 5}), equality="python"
    )
    assert one("assert f(3 * 5, 'a' + 'b') == -2 ** 3").args == (15, "ab")
    assert one("assert f(1) is True") == Test(args=(1,), expected=True)
    assert one("assert f(1)") == Test(args=(1,), expected=True, equality="truth")
    assert one("assert not f(1)") == Test(args=(1,), expected=False, equality="truth")
    assert one("assert abs(f(1) - 2.0 / 3) < 1e-6") == Test(args=(1,), expected=2 / 3, equality="python", abs_tol=1e-6)
    assert one("assert math.isclose(f(1), 2, rel_tol=0.01)").rel_tol == 0.01
    assert one("def check(candidate):\n    'doc'\n    assert True\n    assert candidate(1) == 2").args == (1,)
    assert one("assert other(1) == 2").entry == "other"


@pytest.mark.parametrize(
    "source",
    [
        "assert set(f(1)) == {1}",
        "assert f(f(1)) == 1",
        "for x in range(3):\n    assert f(x) == x",
        "x = 3\nassert f(x) == 3",
        "assert f(*[1]) == 1",
        "assert f(1) == g(2)",
        "assert f(1) < 3",
        "assert f(9 ** 9 ** 9) == 1",
        "assert f(1 / 0) == 1",
        "assert f(x=lambda: 1) == 1",
    ],
)
def test_other_asserts_become_one_check(source: str) -> None:
    assert one(source).check is not None


@pytest.mark.parametrize(
    "source", ["", "def check(candidate):\n    pass", "assert True", "def f(:", "\x00", "(" * 5000]
)
def test_asserts_that_say_nothing_are_refused(source: str) -> None:
    with pytest.raises(UserError):
        from_asserts(source, entry="f")


LOOP = "def check(candidate):\n    for x in range(20):\n        assert set(candidate(x)) == {x, x + 1}\n"


@pytest.mark.parametrize(
    ("program", "right"),
    [
        ("def f(x):\n    return [x, x + 1]\n", Judgement.PASS),
        ("def f(x):\n    return (y for y in (x, x + 1))\n", Judgement.PASS),
        ("def f(x):\n    return {x: 1, x + 1: 2}.keys()\n", Judgement.PASS),
        ("def f(x):\n    return [x]\n", Judgement.WRONG),
        ("def f(x):\n    return None\n", Judgement.WRONG),
        ("def f(x):\n    return object()\n", Judgement.WRONG),
        ("def f(x):\n    raise ValueError\n", Judgement.EXCEPTION),
        ("def f(x):\n    import os\n    os._exit(0)\n", Judgement.CRASH),
        ("import sys\nsys.exit(0)\n", Judgement.LOAD_ERROR),
        ("def f(x):\n    while True: pass\n", Judgement.TIMEOUT_CPU),
        ("class E(list):\n    def __eq__(s, o): return True\ndef f(x):\n    return E([9])\n", Judgement.WRONG),
        ("import builtins\nbuiltins.set = lambda x: 1\ndef f(x):\n    return [0]\n", Judgement.WRONG),
        ("from unittest.mock import ANY\ndef f(x):\n    return [ANY, ANY]\n", Judgement.WRONG),
        ("import os\ndef f(x):\n    os.write(3, b'\\x05\\0\\0\\0\"abc\"')\n    return [x]\n", Judgement.VIOLATION),
    ],
)  # fmt: skip
def test_a_check_sees_plain_copies_only(each_pool: Pool, program: str, right: Judgement) -> None:
    tests = from_asserts(LOOP, entry="f")
    assert each_pool.verify(program, tests, entry="f").verdict is right


def test_a_check_may_use_the_prelude_and_call_the_entry_by_name(pool: Pool) -> None:
    prelude = "def encode(x):\n    return x + 1\ndef f(x):\n    return 0\n"
    source = "def check(candidate):\n    for x in range(3):\n        assert f(encode(x)) == x == candidate(encode(x))\n"
    tests = from_asserts(source, entry="f", prelude=prelude)
    assert pool.verify("def f(x):\n    return x - 1\n", tests, entry="f").detail == "1 of 1 tests passed"


def test_a_check_that_fails_by_itself_says_nothing_about_the_candidate(pool: Pool) -> None:
    limits = replace(pool.limits, cpu_s=0.5)
    for check in ("1 / 0", "def check(candidate):\n    undefined", "def other(): pass", "while True: pass", "def ("):
        result = pool.verify("def f(x):\n    return x\n", [Test(check=check)], entry="f", limits=limits)
        assert (result.verdict, result.reward) == (Judgement.INFRA, None)
    assert pool.verify("def f(x):\n    return x\n", [Test(args=(1,), expected=1)], entry="f").reward == 1.0


def test_a_candidate_cannot_break_its_check_into_anything_but_a_failure(pool: Pool) -> None:
    check = (
        "def check(candidate):\n    seen = [sorted(map(str, candidate(x))) for x in range(200)]\n    assert seen == 1\n"
    )
    limits = replace(pool.limits, cpu_s=0.5, wall_s=1.0)
    for program in (
        "def f(x):\n    return [0] * 300_000\n",
        "import time\ndef f(x):\n    time.sleep(100)\n",
        "import time\ndef f(x):\n    time.sleep(0.02)\n    return []\n",
        "import os, signal\ndef f(x):\n    os.kill(os.getpid(), signal.SIGSTOP)\n",
    ):
        assert pool.verify(program, [Test(check=check)], entry="f", limits=limits).reward == 0.0


@pytest.mark.parametrize(
    "source",
    [
        'assert abs(f(1) - 2) < "x"', "assert abs(f(1) - 2) < 1e999", 'assert math.isclose(f(1), 2, rel_tol="x")',
        "assert f({[1]: 2}) == 1", "assert f({(1, [2]): 2}) == 1", "assert f(1) == ...", "assert f([...]) == 1",
        "assert f(1) == " + "*".join(["10 ** 64"] * 100), "assert f(1) == " + "-" * 5000 + "1",
        "assert f(1) == " + "[" * 150 + "]" * 150, "assert f(1) == " + "+".join(["1"] * 5000), "assert f('\0') == 1",
        "assert f(1) == " + "9" * 5000,
    ],
    ids=lambda source: source[:32],
)  # fmt: skip
def test_asserts_that_no_call_can_stand_for_are_refused_or_stay_programs(source: str) -> None:
    try:
        [test] = from_asserts(source, entry="f")
        dump_tests([test])
    except UserError:
        return
    assert test.check is not None
