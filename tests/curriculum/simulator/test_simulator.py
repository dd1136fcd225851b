from __future__ import annotations

import numpy as np
import pytest

from curriculum.errors import CurriculumError
from curriculum.simulator import REPORTING_SEEDS, TUNING_SEEDS, Trial, World, run, simulate, summary
from curriculum.simulator.priors import BATCH, GROUP
from curriculum.simulator.world import DEAD, NORMAL, WRONG


def test_tuning_and_reporting_seeds_share_nothing():
    assert not set(TUNING_SEEDS) & set(REPORTING_SEEDS)


def test_a_world_is_its_seed():
    one, same, other = World("mixed", 10_000), World("mixed", 10_000), World("mixed", 10_001)
    assert (one.difficulty == same.difficulty).all()
    assert len(one.difficulty) != len(other.difficulty) or (one.difficulty != other.difficulty).any()
    a, b = (run("sec", w, 3, budget=20 * BATCH * GROUP) for w in (one, same))
    assert (a.score == b.score).all()


def test_every_rollout_is_counted_discards_too():
    plain = run("uniform", World("mixed", 10_000, n_tasks=2000), 0, budget=30 * BATCH * GROUP)
    assert plain.rollouts[-1] == 30 * BATCH * GROUP
    assert len(plain.score) == 31
    refilled = run("dapo", World("mixed", 10_000, n_tasks=2000), 0, budget=30 * BATCH * GROUP)
    assert len(refilled.score) < 25
    assert (np.diff(refilled.rollouts) >= BATCH * GROUP).all()


def test_groups_teach_what_they_show():
    world, rng = World("mixed", 10_000), np.random.default_rng(0)
    at = np.flatnonzero(world.kind == NORMAL)
    world.false_fail = world.false_pass = 0.0
    found = world.sample(at, 8, rng)
    rate = found.passes / 8
    assert found.signal == pytest.approx(2 * np.sqrt(rate * (1 - rate)))
    dead = world.sample(np.flatnonzero(world.kind == DEAD), 8, rng)
    assert dead.passes.sum() == dead.signal.sum() == 0
    assert world.sample(np.flatnonzero(world.kind == WRONG), 8, rng).signal.min() < 0


def test_sampled_rates_are_the_rates_told_to_the_oracle():
    world, rng = World("hard", 10_001), np.random.default_rng(0)
    at = np.arange(400)
    mean = np.mean([world.sample(at, 8, rng).passes / 8 for _ in range(300)], axis=0)
    assert mean == pytest.approx(world.pass_rates(at), abs=0.05)


def test_practice_raises_its_arm_most_and_repeats_teach_less():
    world = World("mixed", 10_002)
    arm = int(np.bincount(world.arm).argmax())
    at = np.flatnonzero((world.arm == arm) & (world.kind == NORMAL))[:16]
    gains = []
    for _ in range(12):
        before = world.ability.copy()
        world.learn(at, np.ones(len(at)), BATCH)
        gains.append(world.ability - before)
    assert gains[0].argmax() == arm
    assert gains[0].min() > 0
    assert gains[-1][arm] < gains[0][arm] / 2


def test_unknown_pools_are_refused():
    with pytest.raises(CurriculumError, match="unknown pool 'harder'; known: easy, hard, mixed, shuffled"):
        World("harder", 0)


def test_a_missed_target_counts_with_the_whole_budget():
    trials = [Trial(0, 0.5, 50_000.0, 100_000.0, 0.5, 0.4), Trial(1, 0.5, float("inf"), 100_000.0, 0.5, 0.4)]
    found = summary(trials)
    assert found.n_missed == 1
    assert found.ratio == pytest.approx(np.sqrt(2.0 * 100_000 / (1.5 * 102_400)))


def test_the_frontier_beats_uniform_and_the_oracle_beats_both():
    found = simulate("frontier", "mixed", range(10_000, 10_002), n_tasks=4000)
    assert found["ratio"] > 1.5
    assert found["oracle_ratio"] > found["ratio"]
    assert found["rollouts_to_target"] * found["ratio"] == pytest.approx(found["uniform"])


@pytest.mark.slow
@pytest.mark.parametrize(("pool", "wanted"), [("mixed", 1.8), ("hard", 1.9), ("easy", 2.0), ("shuffled", 1.3)])
def test_the_lower_end_on_both_reported_sets_of_worlds(pool, wanted):
    found = simulate("frontier", pool, [*range(20), *range(100, 120)])
    assert found["low"] > wanted


def test_a_world_in_which_uniform_gains_nothing_is_a_tie():
    """Its target is the start, where both are without a rollout: no logarithm of 0, and no world dropped."""
    still = Trial(1, 0.4, 0.0, 0.0, 0.3, 0.3)
    alone = summary([still])
    assert (alone.ratio, alone.n, alone.n_missed) == (1.0, 1, 0)
    moving = Trial(2, 0.5, 1000.0, 4000.0, 0.3, 0.3)
    both = summary([still, moving])
    assert both.ratio == pytest.approx(2.0)
    assert np.isfinite([both.low, both.high, both.rollouts_to_target, both.uniform]).all()
