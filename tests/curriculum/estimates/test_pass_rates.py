from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from curriculum.errors import CurriculumError
from curriculum.estimates import majority_at_k, pass_at_k


@given(st.integers(1, 9), st.data())
def test_pass_at_k_is_the_share_of_subsets_that_hold_a_pass(n, data):
    c, k = data.draw(st.integers(0, n)), data.draw(st.integers(1, n))
    samples = [True] * c + [False] * (n - c)
    share = np.mean([any(subset) for subset in combinations(samples, k)])
    assert pass_at_k(n, c, k) == pytest.approx(share, abs=1e-12)


def test_published_values():
    # 1 - prod(1 - k / i) over i = n-c+1..n, as the reference code of arXiv:2107.03374 computes it.
    for n, c, k in [(200, 3, 10), (200, 57, 100), (100, 1, 1), (20, 19, 5)]:
        wanted = 1.0 if n - c < k else 1.0 - np.prod(1.0 - k / np.arange(n - c + 1, n + 1))
        assert pass_at_k(n, c, k) == pytest.approx(wanted, rel=1e-12)


def test_fewer_samples_than_k_is_not_a_number_and_large_counts_do_not_overflow():
    assert np.isnan(pass_at_k(3, 2, 4))
    assert np.isnan(pass_at_k([8, 2], [1, 1], 4)).tolist() == [False, True]
    assert pass_at_k(100_000, 1, 50_000) == pytest.approx(0.5)


@pytest.mark.parametrize(("n", "c", "k"), [(4, 5, 1), (4, -1, 1), (4, 1, 0)])
def test_impossible_counts_are_refused(n, c, k):
    with pytest.raises(CurriculumError):
        pass_at_k(n, c, k)


def brute_majority(answers, passed, k):
    total, subsets = 0.0, list(combinations(range(len(answers)), k))
    for subset in subsets:
        votes: dict[str, int] = {}
        for i in subset:
            if answers[i] is not None:
                votes[answers[i]] = votes.get(answers[i], 0) + 1
        if votes:
            top = [a for a, v in votes.items() if v == max(votes.values())]
            good = {a for a, ok in zip(answers, passed, strict=True) if ok}
            total += sum(a in good for a in top) / len(top)
    return total / len(subsets)


@settings(max_examples=40)
@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=2, max_size=7), st.data())
def test_majority_against_all_subsets(answers, data):
    passed = [a == "a" for a in answers]
    k = data.draw(st.integers(1, len(answers)))
    slack = 1e-12 if k == len(answers) else 0.05
    assert majority_at_k(answers, passed, k) == pytest.approx(brute_majority(answers, passed, k), abs=slack)


def test_majority_without_answers_is_zero_and_with_too_few_is_not_a_number():
    assert majority_at_k([None, None], [False, False], 2) == 0.0
    assert np.isnan(majority_at_k(["a"], [True], 2))
