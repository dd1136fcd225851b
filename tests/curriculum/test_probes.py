from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from curriculum.probes import stratified
from curriculum.schedulers.protocol import Pool


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


@given(st.lists(st.integers(0, 20), min_size=1, max_size=8).filter(any), st.integers(0, 60), st.integers(0, 5))
def test_probes_are_distinct_and_spread_evenly_over_arms(sizes, n, seed):
    pool = pool_of(sizes)
    chosen = stratified(pool, n, seed)
    assert len(set(chosen.tolist())) == len(chosen) == min(n, len(pool))
    counts = np.bincount(pool.arm[chosen], minlength=len(sizes))
    for i, size in enumerate(sizes):
        for j in range(len(sizes)):
            assert counts[i] >= min(size, counts[j] - 1)
