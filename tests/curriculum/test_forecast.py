from __future__ import annotations

import math

import numpy as np
import pytest

from curriculum.forecast import forecast


def test_a_steady_fall_is_carried_on_with_its_half_life():
    found = forecast(range(40), 2.0 * 0.98 ** np.arange(40), 10)
    assert found is not None
    assert found.value == pytest.approx(2.0 * 0.98**49)
    assert found.half_life == pytest.approx(math.log(0.5) / math.log(0.98))


def test_only_the_last_window_counts():
    entropy = np.concatenate([np.linspace(5, 1, 50), np.full(60, 0.5)])
    found = forecast(range(110), entropy, 20, window=60)
    assert found is not None
    assert (found.low, found.value, found.high) == pytest.approx((0.5, 0.5, 0.5))
    assert found.half_life > 1e6


def test_the_interval_covers_what_comes():
    covered = 0
    for seed in range(300):
        rng = np.random.default_rng(seed)
        log = -0.02 * np.arange(60) + 0.1 * rng.standard_normal(60)
        found = forecast(range(50), np.exp(log[:50]), 10)
        assert found is not None
        covered += found.low <= np.exp(log[59]) <= found.high
    assert 0.92 < covered / 300 < 0.98


@pytest.mark.parametrize("entropy", [[], [0.5], [0.5, 0.4, 0.3], [float("nan")] * 9, [0.0] * 9])
def test_too_little_says_nothing(entropy):
    assert forecast(range(len(entropy)), entropy, 5) is None


def test_gaps_and_nan_are_left_out_and_readings_at_one_step_say_nothing():
    found = forecast([0, 5, 10, 15, 20], [1.0, float("nan"), 1.0, 1.0, 1.0], 5)
    assert found is not None
    assert found.value == pytest.approx(1.0)
    assert forecast([3] * 6, [0.5] * 6, 5) is None
