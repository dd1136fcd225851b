"""The watch between stages, on a real warehouse that is filled with planted campaigns."""

from __future__ import annotations

import itertools
import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pytest

from curriculum.actions import RULES_VERSION
from curriculum.estimates import pass_at_k
from flows.campaign import CampaignConfig, with_scheduler
from flows.settings import Settings
from flows.steps.monitor import panel
from flows.steps.steering import Course, outset, settings_of, steered
from flows.steps.training import stage_file
from flows.steps.watching import final_look, watch_stage
from flows.workshop import Workshop
from synth.graders import Judge
from trainer.weights import weights_hash
from warehouse.records import (
    Action,
    Alarm,
    AlarmLevel,
    Bucket,
    Calibration,
    Domain,
    Evaluation,
    FinishReason,
    Judgement,
    Metric,
    Mixture,
    Policy,
    Rollout,
    RolloutPurpose,
    Run,
    RunStatus,
    Split,
    Stage,
    Status,
    StatusChange,
    Task,
)
from warehouse.store import Store

CAMPAIGN = "c" * 8
LEVELS, TASKS, SAMPLES = 6, 12, 16
CONFIG = CampaignConfig.model_validate(
    {
        "synthesis": {"families": ["rev", "sort"]},
        "curriculum": {"n_stages": 4},
        "evaluation": {"n_tasks": 144},
        "stage": {"prompts_per_step": 4, "group_size": 8, "n_steps": 12},
    }
)
NAN = float("nan")


def tasks(split: Split) -> list[Task]:
    return [
        Task(
            task_id=f"{split}-{family}-{level}-{i}",
            domain=Domain.MATH,
            family=family,
            level=level,
            params={"seed": 0, "index": i},
            prompt=f"{family} {split} {level} {i}?",
            answer_kind="text",
            gold="x",
            split=split,
        )
        for family in ("rev", "sort")
        for level in range(2, 2 + LEVELS)
        for i in range(TASKS)
    ]


HELDOUT, TRAIN = tasks(Split.HELDOUT), tasks(Split.TRAIN)


@dataclass
class Planted:
    """A campaign whose stages are planted one by one."""

    shop: Workshop
    config: CampaignConfig = CONFIG
    names: dict[int, str] = field(default_factory=dict)

    def policy(self, name: str, parent: str | None, stage: str | None) -> Policy:
        folder = self.shop.home.checkpoints / name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "model.safetensors").write_bytes(name.encode())
        return Policy(
            policy_id=name,
            name="pocket",
            lineage="pocket",
            parent=parent,
            stage_id=stage,
            weights_hash=weights_hash(folder),
            path=f"checkpoints/{name}",
        )

    def stage(self, index, rates, *, entropy=0.5, train=0.5, begins=None, reason=None, others=(), wrong=""):
        """Stage `index` (0: the start) and its evaluation; `rates` are pass rates of its held-out tasks."""
        name, stage = f"policy{index}", f"stage{index}"
        begins = begins or self.names.get(index - 1)
        rows = [*others]
        if index == 0:
            rows += [*HELDOUT, *TRAIN]
            rows += [StatusChange(task_id=t.task_id, status=Status.ACCEPTED, reason="ok") for t in (*HELDOUT, *TRAIN)]
            rows.append(self.policy(name, None, None))
        else:
            rows += [self.policy(name, begins, stage), *self.training(index, begins, train, wrong)]
            rows.append(
                Stage(
                    stage_id=stage,
                    campaign_id=CAMPAIGN,
                    stage_index=index,
                    kind="grpo",
                    status=RunStatus.FINISHED,
                    snapshot_id=1,
                    policy_in=begins,
                    policy_out=name,
                    config={},
                    code_version="1",
                    n_steps=12,
                    reason=reason,
                )
            )
        self.names[index] = name
        rows += self.evaluation(index, name, np.broadcast_to(rates, len(HELDOUT)), entropy)
        self.shop.commit(rows, batch=f"planted:{index}", purpose="planted")
        return name

    def evaluation(self, index, name, rates, entropy):
        rng = np.random.default_rng(index)
        c = rng.binomial(SAMPLES, rates)
        rows = [
            rollout(f"{name}-{t}-{s}", task, name, RolloutPurpose.EVAL, s < c[t], sample=s, completion=f"{s}")
            for t, task in enumerate(HELDOUT)
            for s in range(SAMPLES)
        ]
        found = {"pass@1": c.mean() / SAMPLES, "pass@8": pass_at_k(np.full(len(c), SAMPLES), c, 8).mean()}
        for metric, value in {**found, "entropy": entropy, "tokens": 5.0}.items():
            rows.append(
                Evaluation(
                    eval_id=f"e{index}",
                    policy_id=name,
                    protocol_hash="h",
                    campaign_id=CAMPAIGN,
                    stage_index=index,
                    group="all",
                    metric=metric,
                    value=float(value),
                    low=float(value),
                    high=float(value),
                    n=len(HELDOUT),
                    n_samples=SAMPLES,
                )
            )
        return rows

    def training(self, index, begins, rate, wrong):
        rng = np.random.default_rng(100 + index)
        rows = []
        for step, slot in itertools.product(range(12), range(4)):
            task = TRAIN[int(rng.integers(len(TRAIN)))]
            passed = rng.random(8) < rate
            rows += [
                rollout(
                    f"train-{index}-{step}-{slot}-{s}",
                    task,
                    begins,
                    RolloutPurpose.TRAIN,
                    passed[s],
                    sample=s,
                    completion=wrong or f"{s}",
                    stage_id=f"stage{index}",
                    step=step,
                    slot=slot,
                )
                for s in range(8)
            ]
        return rows

    def watch(self, index: int) -> Course:
        return watch_stage(self.shop, self.config, self.names[index], campaign_id=CAMPAIGN, index=index)

    def alarms(self, level: str = "critical") -> list[tuple[int, str]]:
        rows = self.shop.store.read(Alarm, "owner = $c AND level = $level", {"c": CAMPAIGN, "level": level})
        return [(row.step, row.detector) for row in rows]

    def actions(self) -> list[Action]:
        return self.shop.store.read(Action, "owner = $c", {"c": CAMPAIGN})


def rollout(name, task, policy, purpose, passed, **places) -> Rollout:
    return Rollout(
        rollout_id=name,
        task_id=task.task_id,
        policy_id=policy,
        purpose=purpose,
        n_tokens=5,
        finish_reason=FinishReason.STOP,
        judgement=Judgement.PASS if passed else Judgement.WRONG,
        reward=float(passed),
        mean_entropy=0.5,
        **places,
    )


@pytest.fixture
def planted(tmp_path: Path):
    with Store.open(tmp_path / "home", threads=1) as store, Judge(workers=1) as judge:
        yield Planted(Workshop(settings=Settings(home=tmp_path / "home"), store=store, judge=judge, run="run"))


EVEN = np.full(len(HELDOUT), 0.25)
NARROW = np.where(np.arange(len(HELDOUT)) % 2, 0.8, 0.0)
"""Half of the tasks much better, the other half lost: pass@1 up, pass@8 down."""


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
    assert {k: action.after[k] for k in action.before} == {"entropy_coef": 0.01, "pass_k": 2, "temperature": 1.1}
    assert (course.config.stage.entropy_coef, course.config.stage.pass_k) == (0.01, 2)
    assert course.config.sampling.temperature == pytest.approx(1.1)
    assert (course.policy, course.fresh, course.ended) == ("policy1", False, None)


def test_a_loss_that_goes_on_widens_the_plan_then_goes_back_and_each_effect_is_measured_a_stage_later(planted):
    planted.stage(0, EVEN)
    for index in (1, 2, 3):
        planted.stage(index, NARROW)
        course = planted.watch(index)
    assert sorted(action.after["next_stage"] for action in planted.actions()) == [2, 3, 4]
    by_stage = {action.after["next_stage"]: action for action in planted.actions()}
    assert by_stage[3].after["mixture"] == "wider"
    assert by_stage[4].after["rollback"] is True
    assert course.config.curriculum.mixture.explore > CONFIG.curriculum.mixture.explore
    assert course.config.stage.entropy_coef == 0.01
    assert (course.policy, course.fresh) == ("policy0", True)
    assert by_stage[2].effect.keys() >= {"pass@1", "pass@8", "entropy"}
    assert abs(by_stage[2].effect["pass@8"]) < 0.05
    assert by_stage[4].effect == {}
    assert final_look(planted.shop.store, CAMPAIGN) == 0


def test_a_stage_that_lowers_pass_at_1_is_undone_at_half_the_rate(planted):
    planted.stage(0, EVEN)
    planted.stage(1, np.full(len(HELDOUT), 0.4))
    planted.watch(1)
    planted.stage(2, np.full(len(HELDOUT), 0.05))
    course = planted.watch(2)
    assert sorted(planted.alarms()) == [(2, "pass_k_loss"), (2, "pass_rate_fall")]
    (action,) = planted.actions()
    assert (action.after["rollback"], action.after["look"]) == (True, 1)
    assert (course.policy, course.fresh) == ("policy1", True)
    assert course.config.stage.learning_rate == pytest.approx(CONFIG.stage.learning_rate / 2)
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


def test_a_stage_that_its_guard_ended_is_rolled_back_at_half_the_rate_then_held_then_the_arm_ends(planted):
    planted.stage(0, EVEN)
    asks = {"learning_rate": 7.5e-5, "rollback": True, "end_stage": True}
    courses = []
    for index in (1, 2, 3):
        planted.stage(index, EVEN, begins="policy0", reason="pass rate", others=guarded(index, "pass_rate_gap", **asks))
        courses.append(planted.watch(index))
    assert [course.policy for course in courses] == ["policy0"] * 3
    assert all(course.fresh for course in courses)
    rate = CONFIG.stage.learning_rate
    assert [course.config.stage.learning_rate for course in courses] == pytest.approx([rate / 2] * 3)
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


def test_settings_of_a_campaign_go_there_and_back():
    assert steered(CONFIG, settings_of(CONFIG)) == CONFIG
    assert outset(CONFIG, "p") == Course(CONFIG, "p")
    moved = settings_of(CONFIG).model_copy(update={"max_completion_tokens": 10, "beta": 0.02, "learning_rate": 1e-5})
    config = steered(CONFIG, moved)
    assert (config.sampling.max_tokens, config.stage.beta, config.stage.learning_rate) == (10, 0.02, 1e-5)
    assert settings_of(config) == moved
    assert CampaignConfig.model_validate(config.model_dump()) == config


def test_the_panel_shows_figures_forecast_groups_alarms_and_what_was_done(planted, gradatim):
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
    shown = gradatim(planted.shop.home.root, "watch", "--json")
    assert shown.code == 0, shown.err
    assert json.loads(shown.out)["alarms"][0]["detector"] == "pass_k_loss"
    table = gradatim(planted.shop.home.root, "watch", "--once")
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
