from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special, stats

from curriculum.posterior import (
    credible_interval,
    deviation,
    mixed_calibration,
    moment_prior,
    p_above,
    p_mixed,
    p_mixed_at,
    shrunk_prior,
)

positive = st.floats(0.01, 50)


@given(positive, positive, st.integers(2, 16))
def test_chance_of_a_mixed_group_by_enumeration(a, b, group):
    chance = sum(
        special.binom(group, c) * np.exp(special.betaln(a + c, b + group - c) - special.betaln(a, b))
        for c in range(1, group)
    )
    assert p_mixed(a, b, group) == pytest.approx(chance, abs=1e-9)


@given(positive, positive, st.integers(2, 16))
def test_the_closed_form_of_the_design(a, b, group):
    closed = (
        1
        - np.exp(special.betaln(a + group, b) - special.betaln(a, b))
        - np.exp(special.betaln(a, b + group) - special.betaln(a, b))
    )
    assert p_mixed(a, b, group) == pytest.approx(closed, abs=1e-9)


@given(st.floats(0, 1), st.integers(2, 16))
def test_a_sharp_posterior_is_a_known_rate(p, group):
    sharp = p_mixed(max(p, 1e-9) * 1e9, max(1 - p, 1e-9) * 1e9, group)
    assert sharp == pytest.approx(float(p_mixed_at(p, group)), abs=1e-4)


@given(positive, positive)
def test_deviation_is_twice_the_root_of_the_expected_variance(a, b):
    mean, var = stats.beta.stats(a, b, moments="mv")
    assert deviation(a, b) == pytest.approx(2 * np.sqrt(mean - var - mean**2), abs=1e-9)


def test_intervals_against_scipy_and_dead_tasks_after_forty():
    low, high = credible_interval(3.0, 5.0)
    assert (low, high) == pytest.approx(stats.beta(3, 5).interval(0.9))
    assert p_above(0, 40, 0.05) < 0.05 < p_above(0, 30, 0.05)


@settings(max_examples=30)
@given(st.floats(0.05, 0.95), st.floats(0.3, 15))
def test_moments_give_back_the_beta_that_made_them(mu, kappa):
    a, b = mu * kappa, (1 - mu) * kappa
    second = a * (a + 1) / ((a + b) * (a + b + 1))
    assert float(moment_prior(mu, second).kappa) == pytest.approx(max(0.15, kappa), rel=1e-6)


def test_bounds_of_kappa():
    assert float(moment_prior(0.0, 0.0).kappa) == 20.0
    assert float(moment_prior(1.0, 1.0).kappa) == 20.0
    assert float(moment_prior(0.5, 0.2).kappa) == 20.0
    assert float(moment_prior(0.5, 0.499).kappa) == 0.15


def test_priors_shrink_to_the_family_then_to_all():
    family = np.array([0, 0, 1], dtype=np.int32)
    nothing = shrunk_prior(np.zeros(3), np.zeros(3), np.zeros(3), family)
    assert nothing.mu == pytest.approx([0.5] * 3)
    weight = np.array([40.0, 0.0, 0.0])
    some = shrunk_prior(weight, weight * 0.9, weight * 0.85, family)
    assert some.mu[0] == pytest.approx(0.9, abs=0.05)
    assert some.mu[0] > some.mu[1] > some.mu[2] > 0.5


def test_calibration_of_predictions():
    rng = np.random.default_rng(0)
    p = rng.random(20_000)
    assert mixed_calibration(p, rng.random(20_000) < p).error < 0.02
    assert mixed_calibration(p, rng.random(20_000) < p / 2).error > 0.2
    assert np.isnan(mixed_calibration([], []).error)
