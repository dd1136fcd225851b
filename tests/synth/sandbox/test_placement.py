"""Workers share the processors out, and a thread gets its own back after each look."""

from __future__ import annotations

import os

import pytest

from synth.sandbox import Job, Pool, Test
from synth.sandbox.placement import kept_on, shares

PROCESSORS = frozenset(os.sched_getaffinity(0))


@pytest.mark.parametrize("processors", [1, 2, 3, 7, 16])
@pytest.mark.parametrize("workers", [1, 2, 3, 5, 16, 40])
def test_shares_are_equal_and_leave_no_processor_out(
    monkeypatch: pytest.MonkeyPatch, processors: int, workers: int
) -> None:
    everything = frozenset(range(processors))
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(everything))
    mine = shares(workers)
    assert len(mine) == workers
    assert frozenset().union(*mine) == everything
    if workers <= processors:
        assert sum(map(len, mine)) == processors
        assert max(map(len, mine)) - min(map(len, mine)) <= 1
    else:
        assert set(mine) == {everything}


def test_a_thread_gets_its_processors_back() -> None:
    one = frozenset([min(PROCESSORS)])

    def fail() -> None:
        with kept_on(one):
            assert os.sched_getaffinity(0) == one
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert os.sched_getaffinity(0) == PROCESSORS


def test_a_share_that_is_gone_changes_nothing() -> None:
    with kept_on(frozenset([max(PROCESSORS) + 512])):
        assert os.sched_getaffinity(0) == PROCESSORS


def test_judging_leaves_the_callers_processors_alone() -> None:
    job = Job("def f(x): return x", [Test(args=(1,), expected=1)], "f")
    with Pool(workers=2) as pool:
        assert all(result.reward == 1.0 for result in pool.verify_many([job] * 8))
        assert pool.judge(job).reward == 1.0
    assert os.sched_getaffinity(0) == PROCESSORS
