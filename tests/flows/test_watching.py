"""The watch between stages, on a real warehouse that is filled with planted campaigns."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import numpy as np
import pytest
from planted_campaign import CAMPAIGN, CONFIG, EVEN, HELDOUT, NAN, NARROW, TRAIN

from curriculum.actions import RULES_VERSION
from flows.campaign import CampaignConfig, with_scheduler
from flows.steps.calibration import bucket_sizes
from flows.steps.monitor import panel
from flows.steps.steering import Course, outset, settings_of, steered
from flows.steps.watching import final_look
from trainer.knobs import check_stage
from warehouse.records import (
    Alarm,
    Bucket,
    Calibration,
    Metric,
    Run,
    RunStatus,
    Status,
    StatusChange,
)


def test_a_loss_of_pass_k_is_an_alarm_then_an_action_and_changes_the_next_stage(planted):
    planted.stage(0, EVEN)
    planted.stage(1, NARROW)
    course = planted.watch(1)
    assert planted.alarms() == [(1, "pass_k_loss")]
    alarm = planted.shop.store.read(Alarm, "detector = 'pass_k_loss'")[0]
    assert alarm.inputs["difference"] < -0.2
    assert alarm.inputs["high"] < 0
    assert alarm.inputs["pass@1_difference"] > 0.1
    (action,) = planted.actions()
    assert action.applied
    assert (action.alarm_id, action.rule_version) == (alarm.alarm_id, RULES_VERSION)
    assert action.before == {"entropy_coef": 0.0, "pass_k": 1, "temperature": 1.0}
    assert {k: action.after[k] for k in action.before} == {"entropy_coef": 0.025, "pass_k": 2, "temperature": 1.1}
    assert (course.config.stage.entropy_coef, course.config.stage.pass_k) == (0.025, 2)
    assert course.config.sampling.temperature == pytest.approx(1.1)
    assert (course.policy, course.fresh, course.ended) == ("policy1", False, None)


def test_a_loss_that_goes_on_halves_the_rate_then_goes_back_and_each_effect_is_measured_a_stage_later(planted):
    planted.stage(0, EVEN)
    for index in (1, 2, 3):
        planted.stage(index, NARROW)
        course = planted.watch(index)
        if index == 2:
            assert (course.policy, course.fresh) == ("policy2", False)
    assert sorted(action.after["next_stage"] for action in planted.actions()) == [2, 3, 4]
    by_stage = {action.after["next_stage"]: action for action in planted.actions()}
    assert by_stage[3].after["mixture"] == "wider"
    assert by_stage[3].after["rollback"] is False
    assert "lower pass@1, go on" in by_stage[3].action
    assert by_stage[4].after["rollback"] is True
    assert course.config.curriculum.mixture.explore > CONFIG.curriculum.mixture.explore
    assert course.config.stage.learning_rate == CONFIG.stage.learning_rate / 4
    assert course.config.stage.entropy_coef == 0.025
    assert (course.policy, course.fresh) == ("policy0", True)
    assert by_stage[2].effect.keys() >= {"pass@1", "pass@8", "entropy"}
    assert abs(by_stage[2].effect["pass@8"]) < 0.05
    assert by_stage[4].effect == {}
    assert final_look(planted.shop.store, CAMPAIGN) == 0


LOST = 2 * np.where(np.arange(len(HELDOUT)) % 2, EVEN, 0.0)
"""A policy with the pass@1 of an even one, and half of its tasks lost."""


def test_a_loss_that_bought_nothing_goes_back_the_second_time_to_the_last_policy_without_it(planted):
    planted.stage(0, 0.5 * EVEN)
    planted.stage(1, EVEN)
    for index, rates in ((2, LOST), (3, LOST)):
        planted.stage(index, rates)
        course = planted.watch(index)
    assert (course.policy, course.fresh) == ("policy1", True)
    assert final_look(planted.shop.store, CAMPAIGN) == 1


def test_a_campaign_ends_at_its_last_policy_without_a_proven_loss_unless_that_costs_pass_rate(planted):
    planted.stage(0, EVEN)
    planted.stage(1, LOST)
    assert planted.watch(1).policy == "policy1"
    concluded = planted.conclude(1)
    assert (concluded.policy, concluded.fresh) == ("policy0", True)
    assert final_look(planted.shop.store, CAMPAIGN) == 0
    assert planted.conclude(1) == concluded
    (alarm,) = planted.shop.store.read(Alarm, "detector = 'pass_k_loss'")
    (action,) = [action for action in planted.actions() if action.action == "end at the last healthy policy"]
    assert action.alarm_id == alarm.alarm_id
    assert action.action in [done["action"] for done in panel(planted.shop.store, CAMPAIGN)["alarms"][0]["actions"]]


@pytest.mark.parametrize(("rates", "watched"), [(NARROW, True), (EVEN, True), (LOST, False)])
def test_a_campaign_ends_where_it_is_when_going_back_would_cost_pass_rate_or_it_is_not_watched(planted, rates, watched):
    if not watched:
        planted.config = CONFIG.model_copy(update={"watch": CONFIG.watch.model_copy(update={"watch_only": True})})
    planted.stage(0, EVEN)
    planted.stage(1, rates)
    planted.watch(1)
    assert planted.conclude(1).policy == "policy1"
    assert final_look(planted.shop.store, CAMPAIGN) == 1


def test_a_healthy_campaign_raises_nothing_and_stays_as_configured(planted):
    planted.stage(0, EVEN)
    for index, rate in ((1, 0.32), (2, 0.4), (3, 0.45), (4, 0.48)):
        planted.stage(index, np.full(len(HELDOUT), rate), entropy=0.5 * 0.45**index)
        course = planted.watch(index)
        assert course == Course(CONFIG, f"policy{index}")
    assert planted.alarms() == []
    assert planted.actions() == []


def test_a_swapped_mixture_under_a_fixed_policy_raises_nothing(planted):
    for index, train in enumerate((0.5, 0.9, 0.1, 0.9, 0.1)):
        planted.stage(index, EVEN, train=train)
        if index:
            assert planted.watch(index).config == CONFIG
    assert planted.alarms() == planted.actions() == []


def test_watch_only_records_and_changes_nothing(planted):
    planted.config = CONFIG.model_copy(update={"watch": CONFIG.watch.model_copy(update={"watch_only": True})})
    planted.stage(0, EVEN)
    for index in (1, 2, 3):
        planted.stage(index, NARROW)
        course = planted.watch(index)
        assert (course.config.stage, course.config.sampling) == (CONFIG.stage, CONFIG.sampling)
        assert course.config.curriculum == CONFIG.curriculum
        assert course.config.guard.watch_only
        assert (course.policy, course.fresh, course.ended) == (f"policy{index}", False, None)
    assert planted.alarms() == [(1, "pass_k_loss"), (2, "pass_k_loss"), (3, "pass_k_loss")]
    assert [action.applied for action in planted.actions()] == [False] * 3


def test_with_the_watch_off_nothing_is_looked_at_and_the_baseline_runs_so(planted):
    planted.config = with_scheduler(CONFIG, "uniform")
    assert not planted.config.watch.enabled
    assert planted.config.guard.watch_only
    planted.stage(0, EVEN)
    planted.stage(1, NARROW)
    assert planted.watch(1) == Course(planted.config, "policy1")
    assert planted.alarms() == []
    assert planted.shop.store.read(Metric) == []


def test_a_look_is_taken_once_and_a_campaign_that_goes_on_takes_the_same_course(planted):
    planted.stage(0, EVEN)
    planted.stage(1, NARROW)
    first = planted.watch(1)
    planted.stage(2, NARROW)
    second = planted.watch(2)
    snapshot = planted.shop.store.snapshot()
    assert (planted.watch(1), planted.watch(2)) == (first, second)
    assert planted.shop.store.snapshot() == snapshot


def test_looks_that_a_killed_campaign_missed_are_caught_up(planted):
    planted.stage(0, EVEN)
    planted.stage(1, EVEN)
    planted.stage(2, NARROW)
    course = planted.watch(2)
    assert planted.alarms() == [(2, "pass_k_loss")]
    assert course.config.stage.pass_k == 2
    assert {row.step for row in planted.shop.store.read(Metric, "owner = $c", {"c": CAMPAIGN})} == {0, 1, 2}


def test_a_mastered_arm_that_is_forgotten_is_replayed(planted):
    mastered = np.where([task.arm == "rev/2/gradatim" for task in HELDOUT], 0.99, 0.25)
    planted.stage(0, mastered)
    planted.stage(1, np.where(mastered > 0.9, 0.6, 0.3))
    course = planted.watch(1)
    assert planted.alarms() == [(1, "forgetting")]
    (alarm,) = planted.shop.store.read(Alarm, "detector = 'forgetting'")
    assert alarm.inputs["arm"] == "rev/2/gradatim"
    assert course.config.curriculum.scheduler_config["replay"] == 0.15
    assert course.config.curriculum.mixture.replay == 0.15
    planted.stage(2, np.where(mastered > 0.9, 0.6, 0.3))
    assert planted.watch(2).config.curriculum.mixture.arm_floors == {"rev/2/gradatim": 0.05}


def test_a_knob_that_cannot_act_is_refused_and_the_row_says_so(planted):
    planted.config = with_scheduler(CONFIG, "uniform").model_copy(update={"watch": CONFIG.watch})
    mastered = np.where([task.arm == "rev/2/gradatim" for task in HELDOUT], 0.99, 0.25)
    planted.stage(0, mastered)
    planted.stage(1, np.where(mastered > 0.9, 0.6, 0.3))
    assert planted.watch(1).config.curriculum == planted.config.curriculum
    (action,) = planted.actions()
    assert not action.applied
    assert "replays no mastered tasks" in action.after["refused"]["replay"]


def test_training_without_variance_repeats_and_outages_are_read_from_rollouts(planted):
    planted.stage(0, EVEN)
    for index in (1, 2):
        planted.stage(index, EVEN, train=0.0, wrong="same")
        course = planted.watch(index)
    assert sorted(planted.alarms()) == [(2, "duplicates"), (2, "zero_variance")]
    names = ("all_wrong", "all_right", "duplicate_rate", "infra_rate", "truncated_rate")
    look = {row.name: row.value for row in planted.shop.store.read(Metric, "owner = $c AND step = 2", {"c": CAMPAIGN})}
    assert [look[name] for name in names] == [1.0, 0.0, 1.0, 0.0, 0.0]
    assert course.config.curriculum.mixture.sharpness > CONFIG.curriculum.mixture.sharpness


def test_gaps_nan_one_point_and_constants_raise_nothing(planted):
    planted.stage(0, EVEN, entropy=NAN)
    for index in range(1, 5):
        planted.stage(index, EVEN, entropy=NAN if index % 2 else 0.5)
        if index != 2:
            assert planted.watch(index).config == CONFIG
    assert planted.alarms() == planted.alarms("warn") == []


@pytest.mark.parametrize(
    ("tables", "move"),
    [
        ({"sampling": {"staleness": 1, "queue_batches": 3}, "trl": {"epsilon_high": 0.3}}, {"staleness": 0}),
        ({"sampling": {"staleness": 1, "grading_threads": 4}}, {"staleness": 0}),
        ({"trl": {"scale_rewards": "none"}}, {"pass_k": 2}),
        ({"stage": {"beta": 0.1}, "trl": {"sync_ref_model": True}}, {"beta": 0.0}),
    ],
)
def test_a_setting_that_an_action_leaves_without_effect_does_not_end_the_next_stage(tables, move):
    config = CampaignConfig.model_validate(tables)
    check_stage(config.stage, config.sampling)
    moved = steered(config, settings_of(config).model_copy(update=move))
    check_stage(moved.stage, moved.sampling)
    assert CampaignConfig.model_validate(moved.model_dump(mode="json")) == moved
    assert moved.stage.trl == {}


def test_settings_of_a_campaign_go_there_and_back():
    assert steered(CONFIG, settings_of(CONFIG)) == CONFIG
    assert outset(CONFIG, "p") == Course(CONFIG, "p")
    moved = settings_of(CONFIG).model_copy(update={"max_completion_tokens": 10, "beta": 0.02, "learning_rate": 1e-5})
    config = steered(CONFIG, moved)
    assert (config.sampling.max_tokens, config.stage.beta, config.stage.learning_rate) == (10, 0.02, 1e-5)
    assert settings_of(config) == moved
    assert CampaignConfig.model_validate(config.model_dump()) == config


def test_the_panel_shows_figures_forecast_groups_alarms_and_what_was_done(planted, verb):
    planted.stage(0, EVEN)
    fall = [
        Metric(owner="stage1", step=step, name=name, value=value)
        for step in range(12)
        for name, value in (("entropy", 0.5 * 0.9**step), ("reward", 0.3 + 0.02 * step))
    ]
    planted.stage(1, NARROW, others=fall)
    planted.watch(1)
    run = Run(
        run="r1",
        campaign_id=CAMPAIGN,
        flow="run_campaign",
        status=RunStatus.FINISHED,
        config=CONFIG.model_dump(mode="json"),
        code_version="1",
        started_at=datetime(2026, 1, 1, tzinfo=UTC),
    )
    planted.shop.commit([run], batch="run", purpose="run")
    found = panel(planted.shop.store, CAMPAIGN)
    assert found["evaluation"]["stage_index"] == 1
    assert found["entropy"]["forecast"]["value"] < found["entropy"]["now"]
    assert found["entropy"]["half_life_steps"] == pytest.approx(6.58, abs=0.01)
    assert found["entropy"]["ceiling"]["value"] > 0.3
    assert found["training"]["all_right"] + found["training"]["all_wrong"] < 0.2
    (alarm,) = found["alarms"]
    assert (alarm["detector"], alarm["actions"][0]["applied"]) == ("pass_k_loss", True)
    shown = verb(planted.shop.home.root, "watch", "--json")
    assert shown.code == 0, shown.err
    assert json.loads(shown.out)["alarms"][0]["detector"] == "pass_k_loss"
    table = verb(planted.shop.home.root, "watch", "--once")
    assert "entropy coefficient up" in " ".join(table.out.split())


def test_stock_counts_tasks_by_what_they_still_teach(planted):
    planted.stage(0, EVEN)
    beliefs = [
        Calibration(
            task_id=task.task_id,
            policy_id="policy0",
            arm=task.arm,
            n=8,
            c=4,
            alpha=4.5,
            beta=4.5,
            mean=0.5,
            low=0.2,
            high=0.8,
            p_mixed=0.5,
            variance=0.25,
            bucket=Bucket.FRONTIER,
        )
        for task in TRAIN
    ]
    planted.stage(1, EVEN, train=0.5, others=beliefs)
    (row,) = planted.shop.store.named("frontier_stock", policy="policy0").to_pylist()
    assert row["n_tasks"] == len(TRAIN)
    assert len(TRAIN) * 0.5 - 48 * 0.5 < row["stock"] < len(TRAIN) * 0.5
    gone = StatusChange(task_id=TRAIN[0].task_id, status=Status.QUARANTINED, reason="wrong")
    planted.shop.commit([gone], batch="gone", purpose="quarantine")
    assert planted.shop.store.named("frontier_stock", policy="policy0").to_pylist()[0]["n_tasks"] == len(TRAIN) - 1
    assert bucket_sizes(planted.shop, "policy0")["frontier"] == len(TRAIN) - 1
