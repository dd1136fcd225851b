from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curriculum.errors import CurriculumError
from curriculum.estimates import components, detectable_difference, holm, look_alpha, samples_needed, tasks_needed


@given(st.integers(1, 30))
def test_looks_spend_the_whole_level_and_no_more(n):
    assert sum(look_alpha(i, n) for i in range(1, n + 1)) == pytest.approx(0.05)


def test_a_look_outside_the_plan_is_refused():
    with pytest.raises(CurriculumError, match="1 to 3, got 4"):
        look_alpha(4, 3)


def test_many_looks_at_nothing_alarm_in_5_percent():
    rng, n, looks = np.random.default_rng(3), 4000, 6
    walk = np.cumsum(rng.standard_normal((n, looks)), axis=1) / np.sqrt(np.arange(1, looks + 1))
    from scipy import stats

    p = 2 * stats.norm.sf(np.abs(walk))
    bars = np.array([look_alpha(i, looks) for i in range(1, looks + 1)])
    assert (p < bars).any(axis=1).mean() < 0.056
    assert (p < 0.05).any(axis=1).mean() > 0.12


@given(st.lists(st.floats(0, 1), min_size=1, max_size=8))
def test_holm_against_its_definition(p):
    found, order = holm(p), sorted(range(len(p)), key=lambda i: p[i])
    going = True
    for rank, i in enumerate(order):
        going = going and p[i] <= 0.05 / (len(p) - rank)
        assert found[i] == going


def test_components_recover_what_data_were_drawn_from():
    rng, n_clusters, size, n = np.random.default_rng(2), 200, 20, 16
    cluster = np.repeat(rng.normal(0, 0.05, n_clusters), size)
    task = rng.normal(0, 0.08, n_clusters * size)
    a = rng.binomial(n, 0.4, n_clusters * size)
    b = rng.binomial(n, 0.4 + cluster + task)
    found = components(a, b, n, np.repeat(np.arange(n_clusters), size).tolist())
    assert found.cluster == pytest.approx(0.05**2, rel=0.4)
    assert found.task == pytest.approx(0.08**2, rel=0.4)
    assert found.sample == pytest.approx(2 * 0.4 * 0.6, rel=0.05)


def test_needed_tasks_and_samples_reach_the_wanted_difference():
    rng = np.random.default_rng(4)
    a, b = rng.binomial(8, 0.4, 300), rng.binomial(8, 0.5, 300)
    parts = components(a, b, 8)
    wanted = 0.5 * detectable_difference(parts)
    n_tasks = tasks_needed(parts, wanted)
    assert n_tasks is not None
    assert detectable_difference(parts._replace(n_tasks=n_tasks)) <= wanted * 1.001
    n_samples = samples_needed(parts, wanted)
    assert n_samples is None or detectable_difference(parts._replace(n_samples=n_samples)) <= wanted * 1.001


def test_more_tasks_of_the_same_few_templates_cannot_help():
    rng = np.random.default_rng(4)
    shift = np.repeat([0.0, 0.3, -0.2], 100)
    a, b = rng.binomial(8, 0.5, 300), rng.binomial(8, 0.5 + shift)
    parts = components(a, b, 8, np.repeat(["x", "y", "z"], 100).tolist())
    assert tasks_needed(parts, 0.01) is None
    assert samples_needed(parts, 0.01) is None
