"""One suite over all schedulers: determinism, resume, distinct draws, bad input."""

from __future__ import annotations

import json

import numpy as np
import pytest
import worlds

from curriculum.schedulers import Group, Pool, get, names
from warehouse.errors import UserError

ALL = names()
RATES = np.random.default_rng(9).beta(0.6, 0.6, 400)


@pytest.mark.parametrize("name", ALL)
def test_same_seed_same_draws_and_other_seed_other_draws(name):
    pool = worlds.pool(400)
    runs = [worlds.train(get(name)(pool, None, seed), RATES, range(12)) for seed in (1, 1, 2)]
    assert repr(runs[0]) == repr(runs[1])
    if name != "oracle":
        assert repr(runs[0]) != repr(runs[2])


@pytest.mark.parametrize("name", ALL)
def test_resume_in_mid_stage_draws_the_same_tasks(name):
    pool = worlds.pool(400)
    through = get(name)(pool, None, 5)
    worlds.train(through, RATES, range(15))
    saved = json.loads(json.dumps(through.state(), allow_nan=False))
    resumed = get(name)(pool, None, 5)
    resumed.restore(saved)
    again, wanted = (worlds.train(s, RATES, range(15, 27)) for s in (resumed, through))
    assert repr(again) == repr(wanted)
    assert resumed.state() == through.state()


@pytest.mark.parametrize("name", ALL)
def test_draws_are_distinct_while_the_pool_allows_and_repeat_when_it_does_not(name):
    for size in (400, 16, 5, 1):
        pool = worlds.pool(size)
        for draws in worlds.train(get(name)(pool, None, 3), RATES[:size], range(8)):
            assert len(draws) == 16
            assert len({d.position for d in draws}) == min(16, size)
            assert all(0 <= d.position < size for d in draws)


@pytest.mark.parametrize("name", ALL)
def test_an_empty_pool_is_refused_in_words(name):
    empty = Pool(
        np.array([], dtype=object),
        *(np.array([], dtype=np.int32), (), *[np.array([], dtype=np.int32)] * 2),
        np.array([]),
    )
    with pytest.raises(UserError, match="pool holds 0 tasks"):
        get(name)(empty, None, 0)


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("rate", [0.0, 1.0], ids=["all dead", "all mastered"])
def test_hopeless_pools_still_give_whole_batches(name, rate):
    pool = worlds.pool(60)
    batches = worlds.train(get(name)(pool, None, 3), np.full(60, rate), range(90))
    assert all(len(batch) == 16 for batch in batches)


@pytest.mark.parametrize("name", ALL)
def test_groups_that_say_nothing_change_nothing(name):
    pool = worlds.pool(40)
    one, other = get(name)(pool, None, 4), get(name)(pool, None, 4)
    bad = [Group(0, 0, 0, True), Group(1, 1, 1, True), Group(2, 8, float("nan"), True), Group(3, 8, -1, True)]
    bad += [Group(4, 8, 9, True), Group(10_000, 8, 3, True), Group(-1, 8, 3, True)]
    one.observe(bad, 0)
    if name in ("oracle",):
        one.reveal(RATES[:40])
        other.reveal(RATES[:40])
    assert repr(one.draw(16, 1)) == repr(other.draw(16, 1))


def test_unknown_names_and_settings_are_refused_with_what_is_allowed():
    with pytest.raises(UserError, match="unknown scheduler 'frontir'; nearest: "):
        get("frontir")
    with pytest.raises(ValueError, match="Extra inputs"):
        get("sec")(worlds.pool(10), {"alhpa": 0.5}, 0)


def test_an_oracle_without_the_truth_is_refused():
    with pytest.raises(UserError, match="only the simulator"):
        get("oracle")(worlds.pool(10), None, 0).draw(4, 0)


@pytest.mark.parametrize("name", [name for name in ALL if hasattr(get(name)(worlds.pool(4), None, 0), "inventory")])
def test_asking_for_stock_changes_nothing(name):
    pool = worlds.pool(400)
    asked, other = (get(name)(pool, None, 5) for _ in range(2))
    for scheduler in (asked, other):
        worlds.train(scheduler, RATES, range(10))
    before = json.dumps(asked.state())
    found = [asked.inventory(10, 16) for _ in range(3)]
    assert found[0] == found[2]
    assert json.dumps(asked.state()) == before
    assert repr(worlds.train(asked, RATES, range(10, 14))) == repr(worlds.train(other, RATES, range(10, 14)))
