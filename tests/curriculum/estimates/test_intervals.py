from __future__ import annotations

import numpy as np
import pytest
from scipy import special

from curriculum.errors import CurriculumError
from curriculum.estimates import clustered_interval
from curriculum.estimates.intervals import mean_and_error


def clustered_rates(rng, sizes, n_samples=16, between=0.8, within=1.0, centre=0.0):
    """Observed pass rates of tasks whose logits share a cluster's part, and the population mean."""
    logits = np.concatenate([centre + between * rng.standard_normal() + within * rng.standard_normal(s) for s in sizes])
    return rng.binomial(n_samples, special.expit(logits)) / n_samples


def population_mean(between, within, centre=0.0):
    x = centre + np.hypot(between, within) * np.random.default_rng(0).standard_normal(400_000)
    return special.expit(x).mean()


@pytest.mark.parametrize(
    "sizes",
    [[20] * 24, [5] * 60, [60, 40, 30, 30, 20, 20, 10, 10, 10, 5, 5, 5], [15] * 8],
    ids=["24 even", "60 small", "12 uneven", "8 even"],
)
def test_95_percent_intervals_cover_93_to_97_percent(sizes):
    rng = np.random.default_rng(7)
    codes = np.repeat(np.arange(len(sizes)), sizes)
    truth, hits, n = population_mean(0.8, 1.0), 0, 1000
    for _ in range(n):
        found = clustered_interval(clustered_rates(rng, sizes), codes)
        hits += found.low <= truth <= found.high
    assert 0.93 <= hits / n <= 0.97


def test_naive_intervals_would_not_cover():
    rng = np.random.default_rng(7)
    truth, hits = population_mean(0.8, 1.0), 0
    for _ in range(300):
        found = clustered_interval(clustered_rates(rng, [20] * 24))
        hits += found.low <= truth <= found.high
    assert hits / 300 < 0.85


def test_equal_clusters_give_the_textbook_error_and_g_minus_1_degrees_of_freedom():
    x = np.array([0.0, 0.2, 0.4, 0.6, 0.9, 0.7, 0.1, 0.5])
    codes = np.repeat(np.arange(4), 2)
    mean, se, df = mean_and_error(x, codes)
    means = x.reshape(4, 2).mean(axis=1)
    assert mean == pytest.approx(x.mean())
    assert se == pytest.approx(means.std(ddof=1) / 2)
    assert df == pytest.approx(3.0)


def test_each_task_its_own_cluster_is_the_plain_standard_error():
    x = np.random.default_rng(1).random(50)
    _, se, df = mean_and_error(x, np.arange(50))
    assert se == pytest.approx(x.std(ddof=1) / np.sqrt(50))
    assert df == 49


def test_edges_have_width_and_one_value_says_nothing():
    none = clustered_interval(np.zeros(40), np.repeat(np.arange(8), 5))
    assert none.low == 0.0
    assert 0.02 < none.high < 0.2
    alone = clustered_interval([0.5])
    assert (alone.low, alone.high) == (0.0, 1.0)
    assert np.isnan(clustered_interval([np.nan, np.nan]).value)


def test_undefined_tasks_are_left_out_and_one_cluster_is_about_its_own_tasks():
    some = clustered_interval([0.5, np.nan, 0.7, 0.1], ["a", "a", "a", "a"])
    assert (some.n, some.n_clusters) == (3, 3)


def test_arrays_that_do_not_fit_are_refused():
    with pytest.raises(CurriculumError, match="3 tasks and 2 clusters"):
        clustered_interval([0.1, 0.2, 0.3], ["a", "b"])
    with pytest.raises(CurriculumError, match="in \\[0, 1\\]"):
        clustered_interval([0.1, 1.2])


@pytest.mark.parametrize("value", [0.1, 0.3, 1 / 3, 0.7, 0.9])
@pytest.mark.parametrize("clusters", [None, list("aabbccc")])
def test_equal_values_are_no_certainty_whatever_their_mean_rounds_to(value, clusters):
    assert np.mean([0.1] * 7) != 0.1
    found, twin = (clustered_interval([v] * 7, clusters) for v in (value, 1 - value))
    assert found.se == twin.se == 0
    assert found.low < value - 0.05
    assert found.high > value + 0.05
    assert found.high == pytest.approx(1 - twin.low)
