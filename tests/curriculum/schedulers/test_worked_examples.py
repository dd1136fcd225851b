"""Each baseline's equations, worked by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
import worlds

from curriculum.schedulers import Group, Pool, get


def group(position: int, c: int, n: int = 8) -> Group:
    return Group(position, n, c, True)


def two_arms() -> Pool:
    arm = np.array([0, 0, 1, 1], dtype=np.int32)
    ids = np.array(["a", "b", "c", "d"], dtype=object)
    return Pool(ids, arm, ("x/1/m", "x/2/m"), np.zeros(2, dtype=np.int32), arm, np.ones(4))


def test_sec_moves_half_way_to_the_mean_absolute_advantage():
    sec = get("sec")(two_arms(), {"alpha": 0.5}, 0)
    sec.observe([group(0, 4), group(1, 8)], 0)
    # |A| = 2 sqrt(.5 * .5) = 1 and 0, mean .5; Q = .5 * .5 + .5 * 0.
    assert sec.value.tolist() == [0.25, 0.0]
    sec.observe([group(2, 2)], 1)
    assert sec.value[1] == pytest.approx(0.5 * 2 * math.sqrt(0.25 * 0.75))


def test_sec_draws_arms_by_softmax():
    pool = worlds.pool(2000, n_arms=2)
    sec = get("sec")(pool, {"temperature": 0.5}, 0)
    sec.value = np.array([0.5, 0.0])
    share = np.mean([np.mean(pool.arm[[d.position for d in sec.draw(100, s)]] == 0) for s in range(60)])
    assert share == pytest.approx(math.e / (math.e + 1), abs=0.02)


def test_dump_adds_a_confidence_bound_to_the_window_mean():
    dump = get("dump")(two_arms(), None, 0)
    dump.observe([group(0, 4), group(1, 4), group(2, 8)], 0)
    # n = 16 and 8 rollouts: sqrt(2 ln 25 / 17) and sqrt(2 ln 25 / 9).
    assert dump.bounds() == pytest.approx([1 + math.sqrt(2 * math.log(25) / 17), math.sqrt(2 * math.log(25) / 9)])


def test_adarft_target_follows_the_reward():
    ada = get("adarft")(two_arms(), {"eta": 50.0, "alpha": 2.0, "beta": 0.5}, 0)
    ada.observe([group(0, 8), group(1, 6)], 0)
    assert ada.target == pytest.approx(50 * math.tanh(2 * (0.875 - 0.5)))
    assert {d.position for d in ada.draw(2, 1)} <= {0, 1, 2, 3}
    ada.observe([group(0, 8)] * 4, 1)
    ada.observe([group(0, 8)] * 4, 2)
    assert ada.target == 100.0
    assert {d.position for d in ada.draw(2, 3)} == {2, 3}


def test_greso_keeps_by_powers_and_moves_its_chances():
    greso = get("greso")(two_arms(), {"start": 0.5, "delta": 0.01}, 0)
    for _ in range(3):
        greso.observe([group(0, 0), group(1, 8), group(2, 4)], 0)
    # One group in three all right and one all wrong, both above their targets: three steps down.
    assert (greso.p_easy, greso.p_hard) == (pytest.approx(0.47), pytest.approx(0.47))
    assert greso.keep_chance() == pytest.approx([0.47**3, 0.47**3, 1.0, 1.0])
    greso.observe([group(0, 3)], 1)
    assert greso.keep_chance()[0] == 1.0


def test_vcrl_banks_by_normalised_variance():
    vcrl = get("vcrl")(two_arms(), {"kappa": 0.8, "momentum": 0.9}, 0)
    vcrl.observe([group(0, 4), group(1, 2), group(2, 3)], 0)
    # 4 k (G-k) / G^2 = 1, .75, .9375: the second stays out.
    assert vcrl._columns["priority"].tolist() == pytest.approx([1.0, 0.0, 0.9375, 0.0])
    vcrl.observe([group(0, 3), group(2, 1)], 1)
    assert vcrl._columns["priority"].tolist() == pytest.approx([0.9 + 0.1 * 0.9375, 0.0, 0.0, 0.0])


def test_mopps_counts_decay_towards_the_uniform_prior():
    mopps = get("mopps")(two_arms(), {"lam": 0.5}, 0)
    mopps.observe([group(0, 6)], 0)
    mopps.observe([group(0, 2)], 1)
    # alpha = .5 (1 + 6) + .5 + 2 = 6 and beta = .5 (1 + 2) + .5 + 6 = 8, less the prior's 1.
    assert mopps._columns["passes"][0] + 1 == pytest.approx(6.0)
    assert mopps._columns["fails"][0] + 1 == pytest.approx(8.0)


def test_mopps_takes_the_prompts_nearest_to_the_target():
    pool = worlds.pool(200)
    mopps = get("mopps")(pool, {"lam": 1.0, "multiple": 100}, 0)
    for step in range(40):
        mopps.observe([group(i, 4 if i < 20 else 8 * (i % 2)) for i in range(200)], step)
    assert np.mean([d.position < 20 for d in mopps.draw(16, 41)]) == 1.0


def test_variance_rank_uses_the_deviation_of_the_history():
    rank = get("variance_rank")(two_arms(), None, 0)
    rank.observe([group(0, 0), group(1, 4), group(2, 8)], 0)
    rank.observe([group(0, 8), group(1, 4), group(2, 4)], 1)
    assert rank.deviations() == pytest.approx([0.5, 0.0, 0.25, 0.0])


def test_easy_to_hard_opens_by_level():
    pool = worlds.pool(400)
    fixed = get("easy_to_hard")(pool, {"horizon": 100, "start": 0.2}, 0)
    assert [fixed.n_open(s) for s in (0, 50, 100, 200)] == [80, 240, 400, 400]
    assert max(pool.level[[d.position for d in fixed.draw(16, 0)]]) == 0


def test_dapo_walks_epochs_without_repeats():
    dapo = get("dapo")(worlds.pool(40), None, 0)
    assert dapo.refills
    seen = [d.position for step in range(5) for d in dapo.draw(8, step)]
    assert sorted(seen) == list(range(40))


def test_oracle_takes_the_largest_true_signal():
    oracle = get("oracle")(two_arms(), {"reuse": 1.0}, 0)
    oracle.reveal(np.array([0.5, 0.9, 0.4, 0.0]))
    assert [d.position for d in oracle.draw(2, 0)] == [0, 2]
    oracle.observe([group(0, 4)], 0)
    assert [d.position for d in oracle.draw(2, 1)] == [2, 0]
