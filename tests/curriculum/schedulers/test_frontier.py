from __future__ import annotations

import json

import numpy as np
import pytest
import worlds

from curriculum.schedulers import Group, Pool, get
from curriculum.schedulers.shares import Limits, limits, within
from warehouse.errors import UserError


def by_arm_rates(pool: Pool, rates: list[float]) -> np.ndarray:
    return np.array(rates)[pool.arm]


@pytest.mark.parametrize("name", ["frontier", "beta_frontier"])
def test_it_finds_the_arms_with_gradient(name):
    pool = worlds.pool(3000)
    rates = by_arm_rates(pool, [0.0, 0.0, 0.0, 0.5, 1.0, 1.0, 1.0, 1.0, 0.5, 0.0, 0.0, 0.0])
    batches = worlds.train(get(name)(pool, None, 1), rates, range(60))
    late = np.array([d.position for batch in batches[30:] for d in batch])
    assert np.mean(rates[late] == 0.5) > 0.75
    assert all(0 <= d.p_mixed <= 1 for batch in batches for d in batch)


def test_within_an_arm_it_returns_to_tasks_that_are_mixed():
    pool = worlds.pool(300, n_arms=1)
    rates = np.where(np.arange(300) % 3 == 0, 0.5, 0.0)
    batches = worlds.train(get("frontier")(pool, None, 1), rates, range(60))
    late = np.array([d.position for batch in batches[30:] for d in batch])
    assert np.mean(rates[late] == 0.5) > 0.6


def test_predictions_of_mixed_groups_come_true():
    pool = worlds.pool(4000)
    rng = np.random.default_rng(3)
    rates = np.clip(by_arm_rates(pool, list(np.linspace(0.02, 0.98, 12))) + 0.1 * rng.standard_normal(4000), 0, 1)
    scheduler, waiting, said, came = get("frontier")(pool, None, 2), [], [], []
    for step in range(120):
        draws = scheduler.draw(16, step)
        new = worlds.groups(draws, rates, rng)
        if step > 20:
            said += [d.p_mixed for d in draws]
            came += [0 < g.c < g.n for g in new]
        if waiting:
            scheduler.observe(waiting, step)
        waiting = new
    assert np.mean(said) == pytest.approx(np.mean(came), abs=0.06)


def test_dead_tasks_are_quarantined_and_probed_again_at_doubling_waits():
    pool = worlds.pool(6, n_arms=1)
    rates = np.array([0.5, 0.5, 0.5, 0.5, 0.5, 0.0])
    scheduler = get("frontier")(pool, {"explore": 0.2}, 0)
    for step in range(6):
        scheduler.observe([Group(5, 8, 0, True)], step)
    assert scheduler.quarantined() == ["task-0-5"]
    batches = [scheduler.draw(4, step) for step in range(6, 120)]
    probes = [step for step, batch in enumerate(batches, start=6) if any(d.reason == "reprobe" for d in batch)]
    assert min(probes) in range(54, 60)
    scheduler.observe([Group(5, 8, 0, False)], 60)
    waits = [int(scheduler._ledger.ints("probe_at")[scheduler._ledger.rows(np.array([5]))[0]])]
    assert waits == [60 + 100]
    scheduler.observe([Group(5, 8, 5, False)], 160)
    assert scheduler.quarantined() == []
    assert rates[5] == 0.0


def test_two_groups_of_one_policy_version_do_not_quarantine():
    scheduler = get("frontier")(worlds.pool(6, n_arms=1), None, 0)
    scheduler.observe([Group(5, 64, 0, True)], 3)
    assert scheduler.quarantined() == []


def test_a_changed_pool_takes_what_it_still_holds():
    old, rates = worlds.pool(200), np.full(200, 0.5)
    scheduler = get("frontier")(old, None, 1)
    worlds.train(scheduler, rates, range(10))
    keep = np.arange(200) % 2 == 0
    arm = (11 - old.arm[keep]).astype(np.int32)
    fewer = Pool(old.task_ids[keep], arm, old.arms[::-1], old.family[::-1], old.level[keep], old.cost[keep])
    moved = get("frontier")(fewer, None, 1)
    moved.restore(json.loads(json.dumps(scheduler.state())))
    draws = moved.draw(16, 11)
    assert {d.position for d in draws} <= set(range(100))
    assert 0 < moved._ledger.size < scheduler._ledger.size


def test_a_plan_bounds_the_arms_of_each_batch():
    pool = worlds.pool(3000)
    weights = {arm: (0.5 if i == 4 else 0.5 / 11) for i, arm in enumerate(pool.arms)}
    scheduler = get("frontier")(pool, {"weights": weights, "slack": 1.5, "explore": 0.0, "replay": 0.0}, 1)
    rates = by_arm_rates(pool, [0.5] * 4 + [0.95] + [0.5] * 7)
    shares = np.array(
        [[pool.arm[d.position] == 4 for d in b] for b in worlds.train(scheduler, rates, range(40), batch=48)]
    )
    assert shares.mean(axis=1).min() >= 0.5 / 1.5 - 0.03
    assert shares.mean(axis=1).max() <= 0.75 + 0.03


@pytest.mark.parametrize("nothing", [{"gone": 1.0}, {}, {worlds.pool(300).arms[0]: 0.0}])
def test_a_plan_that_gives_no_arm_of_the_pool_a_weight_is_refused(nothing):
    with pytest.raises(UserError, match="no arm of the pool a weight"):
        get("frontier")(worlds.pool(300), {"weights": nothing}, 1)


@pytest.mark.filterwarnings("error")
def test_a_plan_may_name_arms_that_are_gone_beside_those_that_are_there():
    pool = worlds.pool(300)
    scheduler = get("frontier")(pool, {"weights": {"gone": 0.9, pool.arms[3]: 0.1}, "explore": 0.0, "replay": 0.0}, 1)
    assert {int(pool.arm[draw.position]) for draw in scheduler.draw(16, 0)} == {3}


@pytest.mark.parametrize("weight", [-1.0, float("nan"), float("inf")])
def test_a_weight_that_is_none_is_refused(weight):
    with pytest.raises(ValueError, match="weights"):
        get("frontier")(worlds.pool(30), {"weights": {"a": weight}}, 1)


def test_inventory_is_thin_when_all_is_mastered_and_asks_for_the_best_arms():
    pool = worlds.pool(300)
    scheduler = get("frontier")(pool, None, 1)
    assert scheduler.inventory(0, 4).thin is False
    worlds.train(scheduler, by_arm_rates(pool, [1.0] * 11 + [0.5]), range(60))
    found = scheduler.inventory(60, 16)
    assert found.thin
    assert found.ask[0] == pool.arms[11]


@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_arms_share_a_batch_by_what_they_would_give_relative_to_the_best(scale):
    """e^((.9 - .45) / (.9 * .25)) = e^2 = 7.389, so that the better arm gets 7.389 / 8.389 of a batch."""
    scheduler = get("frontier")(worlds.pool(100, n_arms=2), {"floor": 0.0}, 0)
    arm, value = np.repeat([0, 1], 6), scale * np.array([0.9] * 4 + [0.1] * 2 + [0.45] * 4 + [0.0] * 2)
    share = scheduler._shares(arm, value, value, 4)
    assert share.floor == pytest.approx([7.389 / 8.389, 1 / 8.389], abs=1e-4)
    assert scheduler._shares(arm, value, 0 * value, 4).floor == pytest.approx([0.5, 0.5])


def test_the_least_promising_live_arm_is_sure_of_its_floor():
    pool = worlds.pool(3000)
    settings = {"explore": 0.0, "replay": 0.0, "arm_temperature": 0.05}
    rates = by_arm_rates(pool, [0.5] * 11 + [1.0])
    batches = worlds.train(get("frontier")(pool, settings, 1), rates, range(200), batch=24)[50:]
    last = np.mean([pool.arm[d.position] == 11 for batch in batches for d in batch])
    assert last == pytest.approx(0.1 / 12, rel=0.5)


def test_what_is_seen_is_cut_to_the_best_of_each_arm():
    scheduler = get("frontier")(worlds.pool(400, n_arms=4), None, 1)
    scheduler.observe([Group(i, 8, 4, False) for i in range(400)], 0)
    keys = np.random.default_rng(0).random(400)
    arm = scheduler._pool.arm[scheduler._ledger.ints("position")[:400]]
    kept = scheduler._shortlist(np.arange(400), keys, 5)
    assert sorted(kept) == sorted(
        i for a in range(4) for i in sorted(np.flatnonzero(arm == a), key=lambda i: -keys[i])[:5]
    )


def test_shares_hold_for_any_keys():
    rng = np.random.default_rng(0)
    for _ in range(200):
        n_arms, n = int(rng.integers(2, 12)), int(rng.integers(4, 40))
        arm = np.repeat(np.arange(n_arms), 40)
        share = limits(np.ones(n_arms, dtype=bool), rng.random(n_arms) < 0.3, 0.2)
        chosen = within(arm, 5 * rng.gumbel(size=len(arm)), n, share, rng)
        counts = np.bincount(arm[chosen], minlength=n_arms)
        assert len(set(chosen.tolist())) == n == counts.sum()
        assert (counts <= np.ceil(share.cap * n)).all()
        assert (counts >= np.floor(share.floor * n)).all()


def test_caps_give_way_when_nothing_else_is_left():
    chosen = within(
        np.zeros(10, dtype=np.int64), np.arange(10.0), 8, Limits(np.zeros(1), np.full(1, 0.1)), np.random.default_rng(0)
    )
    assert sorted(chosen.tolist()) == list(range(2, 10))


def test_many_seen_tasks_are_shortlisted_and_resume_all_the_same():
    pool, rng = worlds.pool(40_000), np.random.default_rng(0)
    scheduler = get("frontier")(pool, None, 1)
    scheduler.observe([Group(i, 8, int(c), False) for i, c in enumerate(rng.binomial(8, 0.5, 40_000))], 0)
    for step in (1, 2):
        assert len({d.position for d in scheduler.draw(64, step)}) == 64
    resumed = get("frontier")(pool, None, 1)
    resumed.restore(json.loads(json.dumps(scheduler.state())))
    again = [d.position for d in resumed.draw(64, 3)]
    assert again == [d.position for d in scheduler.draw(64, 3)]
    assert len(set(pool.arm[again].tolist())) > 1


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("n", [1, 2])
def test_the_smallest_batches_may_be_exploration_alone(n):
    scheduler = get("frontier")(worlds.pool(100), {"explore": 0.5, "replay": 0.0}, 0)
    draws = [draw for step in range(30) for draw in scheduler.draw(n, step)]
    assert len(draws) == 30 * n
    assert {draw.reason for draw in draws} == {"explore", "frontier"}
