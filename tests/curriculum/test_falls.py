from __future__ import annotations

import math

import numpy as np
import pytest

from curriculum.falls import Paired, fall_of_pass_k, worst_fall


def paired(arms, c_a, c_b, n=16) -> Paired:
    many = np.full(len(arms), n)
    return Paired(arms, many, np.array(c_a), many, np.array(c_b))


def drawn(rates_a, rates_b, seed, tasks=8, n=16) -> Paired:
    rng = np.random.default_rng(seed)
    arms = [f"arm/{i}/x" for i in range(len(rates_a)) for _ in range(tasks)]
    return paired(arms, rng.binomial(n, np.repeat(rates_a, tasks)), rng.binomial(n, np.repeat(rates_b, tasks)), n)


def test_pass_at_8_that_falls_while_pass_at_1_rises_is_seen_with_its_interval():
    rng = np.random.default_rng(0)
    arms = [f"arm/{i % 20}/x" for i in range(400)]
    before = rng.binomial(16, 0.25, 400)
    after = np.where(rng.random(400) < 0.5, rng.binomial(16, 0.9, 400), 0)
    found = fall_of_pass_k([paired(arms, before, after)], 8)
    assert found["pass@k_difference"] < -0.2
    assert found["pass@k_high"] < -0.1
    assert found["pass@1_difference"] > 0.1
    assert fall_of_pass_k([paired(["a"] * 9, [15] * 9, [0] * 3 + [15] * 6)], 8)["tasks_lost"] == 3


def test_the_same_policy_has_lost_nothing():
    found = fall_of_pass_k([drawn([0.5] * 20, [0.5] * 20, 1)], 8)
    assert found["pass@k_high"] > 0
    assert found["tasks_lost"] == 0


@pytest.mark.parametrize("n", [0, 4])
def test_too_few_samples_say_nothing(n):
    found = fall_of_pass_k([paired(["a", "a"], [0, 0], [0, 0], n)], 8)
    assert math.isnan(found["pass@k_difference"])
    assert math.isnan(found["pass@k_high"])
    assert math.isnan(fall_of_pass_k([paired([], [], [])], 8)["pass@1_difference"])


def test_pass_k_falls_from_the_best_evaluation_before():
    now = [8] * 6 + [0] * 6
    looks = [paired(["a", "b"] * 6, before, now) for before in ([8] * 7 + [0] * 5, [8] * 12, [8] * 6 + [0] * 6)]
    found = fall_of_pass_k(looks, 8)
    assert found == fall_of_pass_k(looks[1:2], 8)
    assert (found["pass@k_difference"] < -0.4, found["tasks_lost"]) == (True, 6)


def test_the_mastered_arm_that_fell_furthest_is_named():
    rates = [0.98, 0.97, 0.95, 0.5]
    fall = worst_fall([drawn(rates, [0.97, 0.7, 0.95, 0.1], 2)])
    assert fall is not None
    assert fall.arm == "arm/1/x"
    assert -0.4 < fall.difference < fall.high < 0


def test_the_best_evaluation_of_an_arm_is_what_it_is_held_against():
    rising, fallen = drawn([0.92], [0.7], 3), drawn([0.99], [0.7], 4)
    fall = worst_fall([rising, fallen])
    assert fall is not None
    assert fall.difference == pytest.approx(np.mean(fallen.c_b / 16 - fallen.c_a / 16))


def test_no_mastered_arm_no_fall():
    assert worst_fall([drawn([0.5, 0.8], [0.1, 0.1], 5)]) is None
    assert worst_fall([]) is None
    assert worst_fall([paired(["a"], [0], [0], 0)]) is None


def test_mastered_arms_that_stay_are_rarely_called_fallen():
    false = sum(
        fall.high < 0
        for seed in range(300)
        for fall in [worst_fall([drawn([0.95] * 10, [0.95] * 10, seed)])]
        if fall is not None
    )
    assert false / 300 < 0.06


def test_two_tasks_that_fall_by_one_sample_each_are_not_certain():
    fall = worst_fall([paired(["a", "a"], [16, 16], [15, 15])])
    assert fall is not None
    assert fall.high > 0
