"""A scheduled round of synthesis answers what was measured since its last run, and nothing twice."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest
from planted_campaign import CONFIG, HELDOUT, TRAIN, rollout
from test_weak_spots import WEAK, beliefs, made

from flows.steps.news import handled, news_for
from flows.steps.weak_spots import make_ordered as carried_out
from flows.steps.weak_spots import next_round
from warehouse.records import RolloutPurpose

READER = "synthesis"


def measured(planted, tasks, batch: str, purpose=RolloutPurpose.EVAL) -> None:
    rows = [
        rollout(f"{batch}-{i}", task, "policy0", purpose, True, sample=i, completion="x")
        for i, task in enumerate(tasks)
    ]
    planted.shop.commit(rows, batch=batch, purpose="planted")


def scheduled(shop, *, dies: bool = False):
    """One run of the deployed flow's steps: what was new, what was ordered, what is in the funnel."""
    fresh = news_for(shop, READER)
    found = next_round(shop, CONFIG, "policy0", n_arms=2, n=12, seed=0, among=fresh.arms)
    funnel = carried_out(shop, found.sized.orders, campaign_id=found.campaign_id, seed=found.seed)
    if not dies:
        handled(shop, fresh)
        shop.commit(beliefs("policy0"), batch=f"beliefs:{shop.store.snapshot()}", purpose="calibrate")
    return fresh.arms, {order.arm for order in found.sized.orders}, funnel


@pytest.fixture
def weak(planted):
    planted.stage(0, WEAK)
    planted.shop.commit(beliefs("policy0"), batch="beliefs", purpose="planted")
    return planted


def test_a_second_run_does_nothing_and_a_third_sees_just_what_is_new(weak):
    arms, ordered, funnel = scheduled(weak.shop)
    assert arms == {task.arm for task in HELDOUT}
    assert ordered == {"sort/6/gradatim", "sort/7/gradatim"}
    assert funnel["n_in"] == 12
    before = made(weak)
    arms, ordered, funnel = scheduled(weak.shop)
    assert (arms, ordered, funnel["n_in"]) == (set(), set(), 0)
    assert made(weak) == before
    own = [task for task in TRAIN if task.arm == "rev/3/gradatim"]
    measured(weak, own, "a stage", RolloutPurpose.TRAIN)
    arms, ordered, funnel = scheduled(weak.shop)
    assert (arms, ordered, funnel["n_in"]) == ({"rev/3/gradatim"}, {"rev/3/gradatim"}, 12)
    assert scheduled(weak.shop)[0] == set()


def test_a_run_that_died_is_gone_on_with_and_makes_nothing_twice(weak):
    first = scheduled(weak.shop, dies=True)
    tasks = made(weak)
    assert scheduled(weak.shop) == first, "the same news, the same round, the same tasks"
    assert made(weak) == tasks
    assert scheduled(weak.shop)[0] == set()


def test_its_own_probes_are_no_news_and_other_readers_have_their_own_place(weak):
    scheduled(weak.shop)
    measured(weak, TRAIN[:3], "probes", RolloutPurpose.PROBE)
    assert news_for(weak.shop, READER).arms == set()
    assert news_for(weak.shop, "another").arms == {task.arm for task in HELDOUT}
    assert news_for(weak.shop, None) is None


RUNS = """
import json, sys
from pathlib import Path
from flows.settings import prepared
home = Path(sys.argv[1])
prepared(home)
from flows.synthesize_weakest import synthesize_weakest
found = [synthesize_weakest(home, 3, 30, reader="synthesis") for _ in range(2)]
found.append(synthesize_weakest(home, 3, 30))
print(json.dumps([{"n_in": one["n_in"], "orders": len(one["orders"])} for one in found]))
"""


@pytest.mark.slow
def test_the_deployed_flow_rests_while_its_policy_does(campaign, tmp_path):
    home = shutil.copytree(campaign.home, tmp_path / "home")
    done = subprocess.run([sys.executable, "-c", RUNS, str(home)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    first, second, asked = json.loads(done.stdout.splitlines()[-1])
    assert (first["n_in"], first["orders"] > 0) == (30, True)
    assert second == {"n_in": 0, "orders": 0}
    assert (asked["n_in"], asked["orders"] > 0) == (30, True), "asked for by hand it makes tasks whatever is new"
