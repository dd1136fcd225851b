"""Roll-backs and stops between stages, on planted campaigns."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from planted_campaign import CAMPAIGN, CONFIG, EVEN, HELDOUT, TRAIN, rollout

from flows.steps.training import stage_file
from flows.steps.watching import final_look
from warehouse.records import (
    Action,
    Alarm,
    AlarmLevel,
    Mixture,
    RolloutPurpose,
)


def test_a_stage_that_lowers_pass_at_1_is_undone_at_a_quarter_of_the_rate(planted):
    planted.stage(0, EVEN)
    planted.stage(1, np.full(len(HELDOUT), 0.4))
    planted.watch(1)
    planted.stage(2, np.full(len(HELDOUT), 0.05))
    course = planted.watch(2)
    assert sorted(planted.alarms()) == [(2, "pass_k_loss"), (2, "pass_rate_fall")]
    (action,) = planted.actions()
    assert (action.after["rollback"], action.after["look"]) == (True, 1)
    assert (course.policy, course.fresh) == ("policy1", True)
    assert course.config.stage.learning_rate == pytest.approx(CONFIG.stage.learning_rate / 4)
    assert course.config.stage.entropy_coef == 0.0
    planted.stage(3, np.full(len(HELDOUT), 0.42), begins="policy1")
    assert planted.watch(3).policy == "policy3"
    (action,) = planted.actions()
    assert action.effect["pass@1"] > 0.3


def test_a_stage_after_a_roll_back_starts_a_new_optimizer_and_the_next_one_goes_on_with_it(planted):
    planted.stage(0, EVEN)
    planted.stage(1, EVEN)
    planted.stage(2, EVEN, begins="policy1")
    mixture = Mixture(
        mixture_id="m",
        campaign_id=CAMPAIGN,
        stage_index=3,
        policy_id="policy2",
        snapshot_id=1,
        scheduler="frontier",
        config_hash="h",
        weights={"rev/2/gradatim": 1.0},
    )
    going_on = stage_file(planted.shop, CONFIG, mixture, index=3)
    anew = stage_file(planted.shop, CONFIG, mixture, index=3, fresh=True)
    assert (going_on.first_step, going_on.continue_from) == (24, "checkpoints/policy2")
    assert (anew.first_step, anew.continue_from, anew.policy) == (0, None, "checkpoints/policy2")
    assert going_on.stage_id != anew.stage_id


def guarded(index: int, detector: str, **after) -> list:
    alarm = Alarm(
        alarm_id=f"alarm{index}",
        owner=f"stage{index}",
        step=5,
        detector=detector,
        detector_version="1",
        level=AlarmLevel.CRITICAL,
        inputs={"value": 9.0},
    )
    return [
        alarm,
        Action(
            action_id=f"action{index}",
            alarm_id=alarm.alarm_id,
            owner=f"stage{index}",
            action="planted",
            rule_version="1",
            after=after,
        ),
    ]


def test_a_stage_that_its_guard_ended_is_rolled_back_at_a_quarter_of_the_rate_then_held_then_the_arm_ends(planted):
    planted.stage(0, EVEN)
    asks = {"learning_rate": 3.75e-5, "rollback": True, "end_stage": True}
    courses = []
    for index in (1, 2, 3):
        planted.stage(index, EVEN, begins="policy0", reason="pass rate", others=guarded(index, "pass_rate_gap", **asks))
        courses.append(planted.watch(index))
    assert [course.policy for course in courses] == ["policy0"] * 3
    assert all(course.fresh for course in courses)
    rate = CONFIG.stage.learning_rate
    assert [course.config.stage.learning_rate for course in courses] == pytest.approx([rate / 4] * 3)
    assert [course.config.stage.beta for course in courses] == [0.0, 0.02, 0.02]
    assert [course.ended for course in courses] == [None, None, "pass_rate_gap: stop"]
    assert planted.shop.outputs["ended"] == {CAMPAIGN: {"after_stage": 3, "reason": "pass_rate_gap: stop"}}
    assert final_look(planted.shop.store, CAMPAIGN) == 0


def test_what_a_guard_moved_within_a_stage_holds_for_the_next(planted):
    planted.stage(0, EVEN)
    planted.stage(1, EVEN, others=guarded(1, "entropy_surge", learning_rate=7.5e-5, entropy_coef=0.0))
    course = planted.watch(1)
    assert course.config.stage.learning_rate == pytest.approx(7.5e-5)
    assert (course.fresh, planted.actions()) == (False, [])


def test_tasks_that_were_paid_for_without_being_solved_are_set_aside(planted):
    planted.stage(0, EVEN)
    task = TRAIN[0]
    paid = [
        replace(rollout(f"paid-{s}", task, "policy0", RolloutPurpose.TRAIN, s == 0, sample=s, completion="x"),
                reward=1.0, stage_id="stage1", step=11, slot=9)
        for s in range(8)
    ]  # fmt: skip
    asks = {"ask": "quarantine", "end_stage": True}
    planted.stage(1, EVEN, reason="hidden tests", others=[*paid, *guarded(1, "hidden_tests", **asks)])
    planted.watch(1)
    (action,) = planted.actions()
    assert action.applied
    aside = planted.shop.store.tasks(status="quarantined")
    assert [one.task_id for one in aside] == [task.task_id]
    assert task.task_id not in {one.task_id for one in planted.shop.store.tasks(status="accepted")}


def test_checkpoints_that_are_gone_are_passed_over_and_without_any_the_arm_ends(planted):
    planted.stage(0, EVEN)
    planted.stage(1, EVEN)
    planted.watch(1)
    asks = {"rollback": True, "end_stage": True}
    planted.stage(2, EVEN, reason="gradient", others=guarded(2, "gradient", **asks))
    (planted.shop.home.checkpoints / "policy1" / "model.safetensors").write_bytes(b"other")
    assert planted.watch(2).policy == "policy0"
    planted.stage(3, EVEN, reason="pass rate", others=guarded(3, "pass_rate_gap", **asks))
    (planted.shop.home.checkpoints / "policy0" / "model.safetensors").unlink()
    course = planted.watch(3)
    assert "no healthy checkpoint is whole" in course.ended
    assert course.policy == "policy3"
