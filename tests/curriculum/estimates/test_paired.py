from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from curriculum.errors import CurriculumError
from curriculum.estimates import Verdict, compare
from curriculum.estimates.lost import lost_tasks


def two_policies(rng, sizes, gain=0.0, n=16):
    """Passes of two policies whose difference varies by cluster and task around `gain` on average."""
    a, b = [], []
    for size in sizes:
        shift = 0.4 * rng.standard_normal()
        base = rng.standard_normal() + rng.standard_normal(size)
        moved = shift + 0.5 * rng.standard_normal(size)
        # Symmetric in sign, so that the mean difference over clusters is `gain` exactly.
        p = special.expit(base - moved / 2)
        q = special.expit(base + moved / 2)
        a.append(rng.binomial(n, p) / n)
        b.append(rng.binomial(n, np.clip(q + gain, 0, 1)) / n)
    return np.concatenate(a), np.concatenate(b)


@pytest.mark.parametrize(
    "sizes",
    [[10] * 30, [30] * 5, [60, 50, 20, 10, 10, 5], [80, 5, 5]],
    ids=["30 even", "5 even", "6 uneven", "3 uneven"],
)
def test_false_positives_stay_under_6_percent_on_clustered_data(sizes):
    rng = np.random.default_rng(11)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    n, false = 4000, 0
    for _ in range(n):
        a, b = two_policies(rng, sizes)
        false += compare(a, b, codes).verdict != Verdict.CANNOT_TELL
    assert false / n <= 0.06


def test_a_real_gain_is_seen_as_often_as_promised():
    rng = np.random.default_rng(5)
    codes = np.repeat(np.arange(30), 10)
    promised = np.mean([compare(*two_policies(rng, [10] * 30), codes).detectable for _ in range(50)])
    found = [compare(*two_policies(rng, [10] * 30, gain=promised), codes).verdict for _ in range(400)]
    assert 0.7 < np.mean([v == Verdict.BETTER for v in found]) < 0.92
    assert sum(v == Verdict.WORSE for v in found) == 0


def test_swapping_the_policies_swaps_the_verdict():
    a, b = np.array([0.1, 0.2, 0.3, 0.2]), np.array([0.5, 0.7, 0.6, 0.8])
    up, down = compare(a, b), compare(b, a)
    assert (up.verdict, down.verdict) == (Verdict.BETTER, Verdict.WORSE)
    assert up.difference == pytest.approx(-down.difference)
    assert (up.low, up.high) == pytest.approx((-down.high, -down.low))


def test_no_difference_one_task_and_undefined_tasks_cannot_tell():
    assert compare([0.5] * 6, [0.5] * 6).verdict == Verdict.CANNOT_TELL
    assert compare([0.0], [1.0]).verdict == Verdict.CANNOT_TELL
    assert compare([np.nan, 0.1, 0.3], [0.2, 0.1, np.nan]).n == 1
    with pytest.raises(CurriculumError, match="got 2 and 3"):
        compare([0.1, 0.2], [0.1, 0.2, 0.3])


def test_lost_tasks_are_those_that_chance_does_not_explain():
    a, b = np.array([16, 9, 8, 0, 16]), np.array([1, 7, 8, 3, 16])
    assert lost_tasks(a, b, 16).tolist() == [True, False, False, False, False]


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.integers(0, 3)), min_size=2, max_size=12))
def test_a_difference_of_rates_stays_within_what_rates_can_differ(rows):
    a, b, clusters = zip(*rows, strict=True)
    found = compare(a, b, clusters)
    assert -1 <= found.low <= found.difference <= found.high <= 1


def test_a_difference_of_other_things_may_be_large():
    assert compare([1.0, 2.0, 9.0], [40.0, 3.0, 10.0]).high > 1
