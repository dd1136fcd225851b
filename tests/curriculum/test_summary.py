from __future__ import annotations

import numpy as np
import pytest

from curriculum.summary import Earlier, posterior_of, summarize


def test_an_arm_that_was_dead_does_not_look_like_its_family_for_want_of_probes():
    arms = [f"inc/{level}/made" for level in range(2, 8) for _ in range(20)]
    n = [8 if place % 20 == 0 else 0 for place in range(len(arms))]
    c = [count if arm != "inc/7/made" else 0 for arm, count in zip(arms, n, strict=True)]
    known = [Earlier("inc/7/made", 8, 0, 1)] * 9 + [Earlier("inc/8/made", 8, 0, 1)]
    alone = {one.arm: one for one in summarize(arms, n, c)}["inc/7/made"]
    told = {one.arm: one for one in summarize(arms, n, c, earlier=known)}["inc/7/made"]
    assert alone.pass_rate > 0.5
    assert not alone.dead
    assert told.pass_rate < 0.3
    assert told.dead
    assert (told.n, told.n_before) == (8, 72)
    newer = [8 if arm == "inc/7/made" else count for arm, count in zip(arms, n, strict=True)]
    risen = {one.arm: one for one in summarize(arms, newer, newer, earlier=known)}["inc/7/made"]
    assert risen.pass_rate > 0.8
    assert not risen.dead


def test_without_earlier_evidence_nothing_changes_and_own_groups_outweigh_it():
    rng = np.random.default_rng(3)
    arms = [f"f/{i % 4}/s" for i in range(400)]
    n, c = np.full(400, 8), rng.binomial(8, 0.4, 400)
    plain, none = posterior_of(arms, n, c), posterior_of(arms, n, c, earlier=[Earlier("g/1/s", 8, 8, 1)])
    assert all(np.allclose(a, b) for a, b in zip(plain, none, strict=True))
    wrong = summarize(arms, n, c, earlier=[Earlier("f/1/s", 8, 8, 1)] * 50)
    assert {one.arm: one for one in wrong}["f/1/s"].pass_rate == pytest.approx(0.4, abs=0.05)
