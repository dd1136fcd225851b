from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from curriculum.calibration import calibrate, stratified
from curriculum.schedulers.protocol import Group, Pool


def pool_of(sizes: list[int]) -> Pool:
    arm = np.repeat(np.arange(len(sizes)), sizes).astype(np.int32)
    n = len(arm)
    return Pool(
        task_ids=np.array([f"t{i}" for i in range(n)], dtype=object),
        arm=arm,
        arms=tuple(f"f/{i}/x" for i in range(len(sizes))),
        family=np.zeros(len(sizes), dtype=np.int32),
        level=arm.astype(np.int64),
        cost=np.ones(n),
    )


def test_unprobed_tasks_take_their_arms_prior_and_probed_ones_their_own_evidence():
    pool = pool_of([30, 30])
    groups = [Group(i, 8, 8, False) for i in range(10)] + [Group(30 + i, 8, 0, False) for i in range(10)]
    beliefs = calibrate(pool, groups)
    mean = beliefs.alpha / (beliefs.alpha + beliefs.beta)
    assert mean[29] > 0.6 > 0.4 > mean[59]
    assert mean[0] > mean[29]
    assert mean[30] < mean[59]
    assert (beliefs.n[:10] == 8).all()
    assert beliefs.n[10:30].sum() == 0


def test_no_probe_at_all_leaves_every_task_undetermined():
    beliefs = calibrate(pool_of([3]), [])
    assert np.allclose(beliefs.alpha / (beliefs.alpha + beliefs.beta), 0.5)


@given(st.lists(st.integers(0, 20), min_size=1, max_size=8).filter(any), st.integers(0, 60), st.integers(0, 5))
def test_probes_are_distinct_and_spread_evenly_over_arms(sizes, n, seed):
    pool = pool_of(sizes)
    chosen = stratified(pool, n, seed)
    assert len(set(chosen.tolist())) == len(chosen) == min(n, len(pool))
    counts = np.bincount(pool.arm[chosen], minlength=len(sizes))
    for i, size in enumerate(sizes):
        for j in range(len(sizes)):
            assert counts[i] >= min(size, counts[j] - 1)
