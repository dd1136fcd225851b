from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curriculum.buckets import ORDER, bucket_codes, bucket_of, by_variance, drift
from warehouse.records import Bucket


@pytest.mark.parametrize(
    ("passes", "n", "bucket"),
    [(0, 40, "dead"), (0, 8, "hard"), (3, 40, "hard"), (4, 8, "frontier"), (7, 8, "easy"), (100, 100, "mastered")],
)
def test_buckets_by_counts(passes, n, bucket):
    assert bucket_of(passes + 0.5, n - passes + 0.5) == bucket


@given(st.floats(0.001, 200), st.floats(0.001, 200))
def test_one_task_and_many_tasks_agree(a, b):
    assert ORDER[int(bucket_codes([a, 1.0], [b, 1.0])[0])] == bucket_of(a, b)


def test_drift_counts_every_task_once():
    before, after = np.array([0, 0, 1, 2], dtype=np.int8), np.array([0, 1, 1, 4], dtype=np.int8)
    moved = drift(before, after)
    assert sum(m.n for m in moved) == 4
    assert {(m.before, m.after): m.n for m in moved}[(Bucket.DEAD, Bucket.HARD)] == 1


def test_variance_buckets_are_symmetric():
    assert by_variance([0.0, 0.05, 0.2, 0.5, 0.8, 0.95]).tolist() == [0, 0, 1, 2, 1, 0]
