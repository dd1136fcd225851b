"""Bad input ends in a verdict or a `UserError`, never in another exception of the judge."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from synth.sandbox import Limits, Pool, Test
from warehouse.errors import UserError
from warehouse.records import Judgement

OK = [Test(args=(1,), expected=1)]
GOOD = "def f(x):\n    return x\n"


@pytest.mark.parametrize(
    "program",
    [
        GOOD + "#" * 5_000_000,
        "\x00" + GOOD,
        b"\xff\xfe" + GOOD.encode(),
        "# coding: no-such-codec\ndef f(x) return",
        "def f(x:\n",
        "def g(x):\n    return x\n",
        "f = 3\n",
        "",
        "\ud800 = 1",
        "(" * 50_000,
        "f = " + "-" * 100_000 + "1",
        "x = " + "[" * 5000 + "]" * 5000,
        "return 1",
        "raise KeyboardInterrupt",
        "import no_such_module",
        "\ufeffimport sys; raise ImportError('\ud800')",
        "class f: pass\n1/0",
        "0" * 500_000,
    ],
    ids=range(18),
)
def test_programs_that_do_not_load(pool: Pool, program: str | bytes) -> None:
    result = pool.verify(program, OK, entry="f")
    assert result.verdict in (Judgement.LOAD_ERROR, Judgement.MEMORY, Judgement.CRASH)
    assert result.reward == 0.0
    assert len(result.detail) < 1000
    assert pool.verify(GOOD, OK, entry="f").reward == 1.0


def test_a_byte_order_mark_and_bytes_are_fine(pool: Pool) -> None:
    assert pool.verify(GOOD.encode(), OK, entry="f").reward == 1.0
    assert pool.verify("\ufeff" + GOOD, OK, entry="f").verdict is Judgement.PASS
    assert pool.verify(("\ufeff" + GOOD).encode(), OK, entry="f").verdict is Judgement.PASS


class Odd:
    """Not plain data."""


CIRCLE: list[Any] = []
CIRCLE.append(CIRCLE)


@pytest.mark.parametrize(
    ("tests", "says"),
    [
        ([], "no tests"),
        ([Test(args=(Odd(),))], "Odd"),
        ([Test(args=(lambda: 1,))], "function"),
        ([Test(expected=Odd())], "expected of test 1"),
        ([Test(args=(1,)), Test(args=(CIRCLE,))], "input of test 2"),
        ([Test(kwargs={"k": {Odd()}})], "Odd"),
        ([(1, 2)], "tuple"),
        ([Test(stdin="x" * 5_000_000, expected="")], "stdin"),
    ],
)
def test_tests_that_can_decide_nothing_are_refused(pool: Pool, tests: Any, says: str) -> None:
    with pytest.raises(UserError, match=says):
        pool.verify(GOOD, tests, entry="f")


@pytest.mark.parametrize(
    "make",
    [
        lambda: Test(stdin="", check="x"),
        lambda: Test(equality="near"),  # type: ignore[arg-type]
        lambda: Test(rel_tol=-1),
        lambda: Test(rel_tol=float("nan")),
        lambda: Test(any_of=True, expected=3),
        lambda: Test(whitespace="none"),  # type: ignore[arg-type]
        lambda: Limits(cpu_s=0),
        lambda: Limits(memory_mb=1),
        lambda: Limits(wall_s=float("nan")),
        lambda: Limits(profile="torch"),  # type: ignore[arg-type]
        lambda: Pool(workers=0),
        lambda: Pool(backend="none"),
    ],
)
def test_settings_out_of_range_are_refused(make: Any) -> None:
    with pytest.raises(UserError):
        make()


def test_no_entry_and_closed_pools_are_refused(pool: Pool) -> None:
    with pytest.raises(UserError, match="calls nothing"):
        pool.verify(GOOD, OK)
    with Pool(workers=1) as closed:
        pass
    with pytest.raises(UserError, match="closed"):
        closed.verify(GOOD, OK, entry="f")
    with pytest.raises(UserError, match="replays"):
        pool.verify(GOOD, OK, entry="f", replays=-1)


@given(st.binary(max_size=60) | st.text(max_size=60))
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_program_gets_a_failing_verdict(pool: Pool, program: str | bytes) -> None:
    result = pool.verify(program, OK, entry="f")
    assert result.reward == 0.0
    assert result.verdict is not Judgement.INFRA


ATOM = st.sampled_from(
    ["x", "1", "-1", "'a'", "None", "x[0]", "len(x)", "f", "f(x)", "print", "1/0", "[x]*3", "{x}", "1e999"]
)
EXPRESSION = st.recursive(
    ATOM,
    lambda e: (
        st.builds("({} + {})".format, e, e)
        | st.builds("[{}, {}]".format, e, e)
        | st.builds("{{{}: {}}}".format, e, e)
        | st.builds("str({})".format, e)
        | st.builds("lambda: {}".format, e)
    ),
    max_leaves=6,
)


@given(EXPRESSION)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_expression_gets_a_verdict_that_does_not_change(pool: Pool, expression: str) -> None:
    program = f"def f(x):\n    return {expression}\n"
    first, second = (pool.verify(program, OK, entry="f") for _ in range(2))
    assert first.verdict is second.verdict
    assert first.verdict is not Judgement.INFRA
    assert first.detail == second.detail or "0x" in first.detail


def test_details_are_bounded_and_the_safe_one_tells_nothing(pool: Pool) -> None:
    tests = [Test(args=("hidden input " * 1000,), expected="expected value " * 1000)]
    for program in (
        "def f(x):\n    return x\n",
        "def f(x):\n    raise ValueError(x)\n",
        "class hidden(Exception): pass\ndef f(x):\n    raise type(x[:12], (Exception,), {})(x)\n",
        "def f(x):\n    return {x: [x] * 50, 1: (x,)}\n",
        "def f(x):\n    return type(x[:12], (), {})()\n",
    ):
        result = pool.verify(program, tests, entry="f")
        assert len(result.detail) < 1200
        assert "hidden" not in result.model_safe_detail
        assert "expected" not in result.model_safe_detail
        assert "0 of 1 tests passed" in result.model_safe_detail
