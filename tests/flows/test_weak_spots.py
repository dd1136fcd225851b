"""The weak-spot loop and the restocking of a thin frontier, on a real warehouse with planted campaigns."""

from __future__ import annotations

from collections import Counter
from contextlib import contextmanager
from datetime import UTC, datetime

import numpy as np
import pytest
from planted_campaign import CAMPAIGN, CONFIG, EVEN, HELDOUT, TRAIN, Planted

from flows.settings import Settings
from flows.steps.current import newest_policy
from flows.steps.restocking import restock
from flows.steps.shift import Shape, moved
from flows.steps.weak_spots import as_orders, make_ordered, next_round
from flows.workshop import Workshop
from synth.graders import Judge
from warehouse.errors import UserError
from warehouse.records import Action, Bucket, Calibration, Run, RunStatus, Split, Task
from warehouse.store import Store

WEAK = np.array([0.1 if task.family == "sort" and task.level >= 6 else 0.6 for task in HELDOUT])
THIN = 0.05


def beliefs(policy: str, p_mixed: float = 0.5) -> list[Calibration]:
    return [
        Calibration(
            task_id=task.task_id,
            policy_id=policy,
            arm=task.arm,
            n=0,
            c=0,
            alpha=1.0,
            beta=1.0,
            mean=0.5,
            low=0.2,
            high=0.8,
            p_mixed=p_mixed,
            variance=0.25,
            bucket=Bucket.UNKNOWN,
        )
        for task in TRAIN
    ]


@contextmanager
def another(tmp_path):
    with Store.open(tmp_path / "another", threads=1) as store, Judge(workers=1) as judge:
        yield Planted(Workshop(settings=Settings(home=store.home.root), store=store, judge=judge, run="run"))


def made(planted) -> list[str]:
    return sorted(task.task_id for task in planted.shop.store.tasks() if not task.task_id.startswith(("train", "held")))


def test_new_tasks_are_asked_for_where_evaluation_and_calibration_say_the_policy_is_weak(planted):
    planted.stage(0, WEAK)
    planted.shop.commit(beliefs("policy0"), batch="beliefs", purpose="planted")
    found = next_round(planted.shop, CONFIG, "policy0", n_arms=2, n=20, seed=0)
    assert {order.arm for order in found.sized.orders} == {"sort/6/gradatim", "sort/7/gradatim"}
    assert sum(order.n for order in found.sized.orders) == 20


@pytest.mark.slow
def test_a_round_that_was_killed_ends_with_the_same_tasks_and_all_of_them_are_for_training(planted, tmp_path):
    orders = as_orders([{"arm": "rev/4/gradatim", "n": 12, "why": ""}, {"arm": "sort/5/gradatim", "n": 9, "why": ""}])
    planted.stage(0, EVEN)
    make_ordered(planted.shop, orders[:1], campaign_id="round", seed=7)
    funnel = make_ordered(planted.shop, orders, campaign_id="round", seed=7)
    assert make_ordered(planted.shop, orders, campaign_id="round", seed=7) == funnel
    with pytest.raises(UserError, match="benchmark 'aime' is no imported source"):
        make_ordered(planted.shop, orders, campaign_id="round", seed=8, benchmarks=["aime"])
    assert funnel["n_in"] == 21
    assert funnel["n_out"] == len(made(planted)) == 21 - sum(funnel["rejected"].values())
    with another(tmp_path) as whole:
        whole.stage(0, EVEN)
        make_ordered(whole.shop, orders, campaign_id="round", seed=7)
        assert made(whole) == made(planted)
    tasks = [task for task in planted.shop.store.read(Task) if task.task_id in set(made(planted))]
    assert {task.split for task in tasks} == {Split.TRAIN}
    assert Counter(task.arm for task in tasks).keys() == {"rev/4/gradatim", "sort/5/gradatim"}


def test_the_same_calibration_gives_the_same_round_and_a_new_one_opens_another(planted):
    planted.stage(0, WEAK)
    planted.shop.commit(beliefs("policy0"), batch="beliefs", purpose="planted")
    first = next_round(planted.shop, CONFIG, "policy0", n_arms=2, n=20, seed=0)
    make_ordered(planted.shop, first.sized.orders, campaign_id=first.campaign_id, seed=first.seed)
    assert next_round(planted.shop, CONFIG, "policy0", n_arms=2, n=20, seed=0) == first
    planted.shop.commit(beliefs("policy0"), batch="again", purpose="planted")
    after = next_round(planted.shop, CONFIG, "policy0", n_arms=2, n=20, seed=0)
    assert after.campaign_id != first.campaign_id
    assert after.seed != first.seed


def test_a_policy_that_was_not_calibrated_is_refused(planted):
    planted.stage(0, EVEN)
    with pytest.raises(UserError, match="policy0 was not calibrated"):
        next_round(planted.shop, CONFIG, "policy0", n_arms=2, n=20, seed=0)


def test_the_newest_policy_is_where_the_campaign_stands_and_never_its_baselines(planted):
    store = planted.shop.store
    planted.stage(0, EVEN)
    assert newest_policy(store) == "policy0"
    run = Run(
        run="run",
        campaign_id=CAMPAIGN,
        flow="run_campaign",
        status=RunStatus.FINISHED,
        config={},
        code_version="1",
        started_at=datetime.now(UTC),
        outputs={"baseline": "baseline"},
    )
    planted.stage(1, EVEN)
    planted.shop.commit([run], batch="ran", purpose="planted")
    other = planted.policy("yardstick", "policy0", None)
    planted.shop.commit([other], batch="yardstick", purpose="planted")
    assert newest_policy(store) == "policy1"
    back = Action(
        action_id="back",
        owner=CAMPAIGN,
        action="end at the last healthy policy",
        rule_version="1",
        after={"look": 0, "policy": "policy0", "next_stage": 2},
        applied=True,
    )
    planted.shop.commit([back], batch="back", purpose="planted")
    assert newest_policy(store) == "policy0"


def thin_campaign(planted, *, watch_only: bool = False) -> None:
    """Two stages from calibrations that promise next to no mixed groups."""
    planted.config = CONFIG.model_copy(update={"watch": CONFIG.watch.model_copy(update={"watch_only": watch_only})})
    planted.stage(0, EVEN)
    planted.stage(1, EVEN, others=beliefs("policy0", THIN))
    planted.watch(1)
    planted.stage(2, EVEN, others=beliefs("policy1", THIN))
    planted.watch(2)
    assert (2, "stock") in planted.alarms()


def test_a_thin_frontier_is_restocked_once_with_the_same_tasks_after_a_kill(planted, tmp_path):
    thin_campaign(planted)
    (action,) = [one for one in planted.actions() if one.after.get("ask") == "synthesise"]
    assert action.applied
    assert restock(planted.shop, planted.config, campaign_id=CAMPAIGN, index=1) == 0, "nothing was asked for then"
    n = restock(planted.shop, planted.config, campaign_id=CAMPAIGN, index=2)
    assert n == min(CONFIG.synthesis.n_per_family, 20 * CONFIG.stage.prompts_per_step)
    (noted,) = [one for one in planted.actions() if one.after.get("ask") == "synthesise"]
    assert sum(order.n for order in as_orders(noted.after["orders"])) == n
    tasks = made(planted)
    assert tasks
    planted.shop.commit(beliefs("policy1"), batch="calibrated again", purpose="planted")
    assert restock(planted.shop, planted.config, campaign_id=CAMPAIGN, index=2) == n
    assert made(planted) == tasks, "a campaign that goes on makes nothing anew"
    with another(tmp_path) as whole:
        thin_campaign(whole)
        restock(whole.shop, whole.config, campaign_id=CAMPAIGN, index=2)
        assert made(whole) == tasks


def test_under_watch_only_nothing_is_made(planted):
    thin_campaign(planted, watch_only=True)
    assert restock(planted.shop, planted.config, campaign_id=CAMPAIGN, index=2) == 0
    assert made(planted) == []


def test_how_a_pool_moved_names_only_what_moved():
    before = Shape({"hard": 6, "easy": 2}, {"a/1/s": {"tasks": 4, "pass_rate": 0.2, "mixed": 1.0}})
    after = Shape(
        {"hard": 6, "easy": 6},
        {"a/1/s": before.arms["a/1/s"], "b/1/s": {"tasks": 4, "pass_rate": 0.6, "mixed": 2.0}},
    )
    found = moved(before, after)
    assert found["distance"] == {"buckets": 0.25, "arms": 0.5}
    assert set(found["arms"]) == {"b/1/s"}
    assert found["arms"]["b/1/s"]["tasks_after"] == 4
    assert moved(before, before)["distance"] == {"buckets": 0.0, "arms": 0.0}


@pytest.mark.slow
def test_the_verb_makes_tasks_and_says_how_the_pool_moved(campaign, gradatim, tmp_path):
    import shutil

    home = tmp_path / "home"
    shutil.copytree(campaign.home, home)
    unknown = gradatim(home, "synth", "--weakest", "3", "--n", "30", "--dry-run")
    assert (unknown.code, "gradatim calibrate" in unknown.err) == (2, True)
    assert gradatim(home, "calibrate").code == 0
    dry = gradatim(home, "synth", "--weakest", "3", "--n", "30", "--dry-run", "--json")
    ran = gradatim(home, "synth", "--weakest", "3", "--n", "30", "--json")
    assert ran.code == 0, ran.err
    assert [(one["arm"], one["n"]) for one in dry.value] == [(one["arm"], one["n"]) for one in ran.value["orders"]]
    assert ran.value["n_in"] == 30
    assert sum(ran.value["rejected"].values()) == 30 - ran.value["n_out"]
    assert sum(row["tasks_after"] - row["tasks_before"] for row in ran.value["arms"].values()) == ran.value["n_out"]
    again = gradatim(home, "run", "--config", str(campaign.config), "--json")
    assert again.code == 0, again.err
    assert again.value["after"] == campaign.ended.value["after"], "the finished campaign stays as it was"
    refused = gradatim(home, "synth", "--weakest", "3", "--family", "rev")
    assert refused.code == 2


def test_a_calibration_says_beforehand_what_it_would_probe_and_leaves_out_what_was_probed(planted):
    from planted_campaign import rollout

    from flows.steps.calibration import asked
    from warehouse.records import RolloutPurpose

    planted.stage(0, EVEN)
    before = asked(planted.shop, CONFIG, "policy0")
    assert before["n_tasks"] == len(TRAIN)
    assert before["n_probed_before"] == 0
    stage = CONFIG.stage
    spent = stage.n_steps * stage.prompts_per_step * stage.group_size
    assert before["most_rollouts"] <= CONFIG.calibration.budget_share * spent
    probes = [
        rollout(f"probe-{i}", TRAIN[0], "policy0", RolloutPurpose.PROBE, True, sample=i, completion="x")
        for i in range(8)
    ]
    planted.shop.commit(probes, batch="probes", purpose="planted")
    assert asked(planted.shop, CONFIG, "policy0")["n_probed_before"] == 1
