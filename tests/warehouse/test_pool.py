from __future__ import annotations

from collections import Counter

import pytest
from warehouse_rows import calibration, policy, status, task

from warehouse.pool import Pool
from warehouse.records import Split, Status
from warehouse.store import Store


def test_a_pool_holds_accepted_training_tasks_with_the_newest_measurement(store: Store) -> None:
    rows = [task(i, split=Split.HELDOUT if i == 3 else Split.TRAIN) for i in range(6)]
    first = [*rows, *(status(i) for i in range(5)), policy(), calibration(0, c=1), calibration(1, c=8)]
    store.commit(first, batch="b1", purpose="x", run="r")
    store.commit([calibration(0, c=4), status(4, Status.RETIRED), policy("p1")], batch="b2", purpose="x", run="r")
    with Pool(store, policy_id="p0") as pool:
        table = {r["task_id"]: r for r in pool.table().to_pylist()}
        assert sorted(table) == ["t0", "t1", "t2"]
        assert table["t0"]["c"] == 4
        assert (table["t2"]["n"], table["t2"]["p_mixed"]) == (None, 0.5)
        assert {r["task_id"] for r in pool.draw(9, seed=1).to_pylist()} == {"t0", "t1", "t2"}
        assert pool.snapshot_id == store.snapshot()
        store.commit([status(0, Status.RETIRED)], batch="b3", purpose="x", run="r")
        assert len(pool) == 3
        assert [r["n_tasks"] for r in pool.arms().to_pylist()] == [1, 1, 1]
    with Pool(store, policy_id="p1") as pool:
        assert len(pool) == 2


def test_draws_are_weighted_repeatable_and_without_replacement(store: Store) -> None:
    n = 40
    rows = [*(task(i) for i in range(n)), *(status(i) for i in range(n)), policy()]
    store.commit([*rows, *(calibration(i, c=8 if i < 20 else 4) for i in range(n))], batch="b", purpose="x", run="r")
    with Pool(store, policy_id="p0") as pool:
        once = pool.draw(10, seed=1)
        assert once == pool.draw(10, seed=1)
        assert once != pool.draw(10, seed=2)
        assert len(set(once.column("task_id").to_pylist())) == 10
        assert pool.draw(1000, seed=1).num_rows == n
        seen = Counter(t for seed in range(150) for t in pool.draw(1, seed=seed).column("task_id").to_pylist())
        weights = {r["task_id"]: r["p_mixed"] for r in pool.table().to_pylist()}
        heavy = sum(w for w in weights.values() if w > 0.5) / sum(weights.values())
        found = sum(k for t, k in seen.items() if weights[t] > 0.5) / 150
        assert found == pytest.approx(heavy, abs=5 * (heavy * (1 - heavy) / 150) ** 0.5)
        sharp = pool.draw(20, seed=3, temperature=1e-9).column("p_mixed").to_pylist()
        assert min(sharp) == max(weights.values())
