from __future__ import annotations

import numpy as np
import pytest
import worlds
from hypothesis import given
from hypothesis import strategies as st
from scipy import special

from curriculum.abilities import N_CLASSES, OFFSETS, Abilities, AbilityConfig
from curriculum.errors import CurriculumError
from curriculum.packing import pack, unpack
from curriculum.signal import expected_signal


@given(st.floats(0, 1), st.integers(2, 16))
def test_expected_signal_by_enumeration(p, group):
    rates = np.arange(group + 1) / group
    chance = [special.binom(group, c) * p**c * (1 - p) ** (group - c) for c in range(group + 1)]
    assert expected_signal(p, group) == pytest.approx(np.dot(chance, 2 * np.sqrt(rates * (1 - rates))), abs=1e-9)


def watch_groups(model, rng, ability, steps, per_step=24, n=8):
    """Fresh tasks of arms with known abilities, spread 1 and 10 % dead."""
    for step in range(steps):
        arm = rng.integers(0, len(ability), per_step).astype(np.int32)
        p = special.expit(ability[arm] - rng.standard_normal(per_step)) * (rng.random(per_step) > 0.1)
        c = rng.binomial(n, p).astype(float)
        start = np.zeros((per_step, N_CLASSES), dtype=np.float32)
        model.observe(arm, start, np.full(per_step, float(n)), c, step)


def test_abilities_of_arms_are_recovered():
    pool = worlds.pool(1200)
    truth = np.linspace(-3, 3, 12)
    model = Abilities(pool, AbilityConfig(drift=1e-5, own_drift=1e-5, odd=0.1))
    watch_groups(model, np.random.default_rng(1), truth, 120)
    assert np.abs(model.ability - truth).max() < 0.5
    assert (np.abs(model.ability - truth) / np.sqrt(model.cov.diagonal())).max() < 4


def test_an_arm_that_falls_alone_is_followed_alone():
    pool = worlds.pool(1200)
    truth = np.linspace(-3, 3, 12)
    model, rng = Abilities(pool, AbilityConfig()), np.random.default_rng(2)
    watch_groups(model, rng, truth, 60)
    truth[8] -= 3
    watch_groups(model, rng, truth, 60)
    assert model.ability[8] == pytest.approx(truth[8], abs=0.7)
    assert model.ability[[7, 9]] == pytest.approx(truth[[7, 9]], abs=0.7)


def test_a_surprise_moves_an_ability_as_far_as_the_exact_posterior_mode():
    model = Abilities(worlds.pool(100), AbilityConfig(odd=1e-3, spread=0.3))
    model.ability[:] = 4.5
    model.spread[:] = 0.3
    one, start, n, c = np.zeros(1, dtype=np.int32), np.zeros((1, N_CLASSES), dtype=np.float32), np.full(1, 8.0), 4.0
    variance = float((model.cov + model._noise)[0, 0])
    model.observe(one, start, n, np.array([c]), 1)
    grid = np.linspace(-4, 6, 2001)
    mixed = [
        np.log(np.sum(np.exp(-0.5 * (OFFSETS / 0.3) ** 2) * special.expit(a - OFFSETS) ** c
                      * special.expit(OFFSETS - a) ** (8 - c)))
        for a in grid
    ]  # fmt: skip
    exact = grid[np.argmax(np.array(mixed) - 0.5 * (grid - 4.5) ** 2 / variance)]
    assert model.ability[0] == pytest.approx(exact, abs=0.5)


def test_one_arm_tells_of_its_neighbours_less_of_its_family_least_of_others():
    pool = worlds.pool(1200)
    model = Abilities(pool, AbilityConfig())
    one = np.zeros(1, dtype=np.int32)
    model.observe(one, np.zeros((1, N_CLASSES), dtype=np.float32), np.array([8.0]), np.array([5.0]), 0)
    a = model.ability
    assert a[0] > a[1] > a[3] > a[5] > 0


def test_posteriors_sum_to_one_and_follow_evidence():
    model = Abilities(worlds.pool(100), AbilityConfig())
    arm, n = np.zeros(3, dtype=np.int32), np.full(3, 40.0)
    add = model.observe(arm, np.zeros((3, N_CLASSES), dtype=np.float32), n, np.array([0.0, 20.0, 40.0]), 0)
    w = model.posterior(arm, add)
    assert w.sum(axis=1) == pytest.approx(np.ones(3))
    rate = (w * model.rates()[arm]).sum(axis=1)
    assert rate[0] < 0.05
    assert rate[1] == pytest.approx(0.5, abs=0.1)
    assert rate[2] > 0.95


def test_shares_of_dead_tasks_are_learnt():
    pool = worlds.pool(1200)
    model = Abilities(pool, AbilityConfig())
    rng = np.random.default_rng(2)
    arm = np.repeat(np.arange(12), 60).astype(np.int32)
    c = np.where(rng.random(720) < 0.3, 0, rng.binomial(16, 0.6, 720)).astype(float)
    loglik = model.observe(arm, np.zeros((720, N_CLASSES), dtype=np.float32), np.full(720, 16.0), c, 0)
    for _ in range(20):
        model.refit(arm, model.posterior(arm, loglik))
    assert model.shares[:, 0].mean() == pytest.approx(0.3, abs=0.08)
    assert model.prior.sum(axis=1) == pytest.approx(np.ones(12))
    assert OFFSETS[0] == -OFFSETS[-1]


def test_arrays_survive_json_bit_for_bit_and_other_values_are_refused():
    x = np.random.default_rng(0).standard_normal((3, 4)).astype(np.float32)
    assert (unpack(pack(x)) == x).all()
    with pytest.raises(CurriculumError, match="packed array"):
        unpack([1, 2])
