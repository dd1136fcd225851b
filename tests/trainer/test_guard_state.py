"""A guard goes on after a kill as if there had been none, and says only what it did."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from trainer_stages import spooled, stage_file
from transformers import TrainerCallback

from curriculum import schedulers
from curriculum.actions import decide
from curriculum.detectors import Firing
from curriculum.pool import pool_of
from flows.campaign import CampaignConfig
from flows.steps.steering import settings_of
from synth.graders import judged
from trainer import policies
from trainer.config import GuardConfig, SamplingConfig, TrainerConfig
from trainer.training import Stage
from warehouse.records import Action, Alarm, AlarmLevel, Judgement


class Killed(Exception):
    """What a killed process would not survive."""


class Kills(TrainerCallback):
    def __init__(self, step):
        self.step = step

    def on_step_begin(self, args, state, control, **_):
        if state.global_step == self.step:
            raise Killed


class Moves(TrainerCallback):
    """Has the guard answer a loss of pass@k at one step: entropy bonus and pass@k advantages from then on."""

    stage: Stage

    def __init__(self, step):
        self.step = step

    def on_step_end(self, args, state, control, **_):
        if state.global_step == self.step:
            guard = self.stage.guard
            alarm = Firing("pass_k_loss", "1", AlarmLevel.CRITICAL, self.step, 9.0, {}, True)
            (decision,) = decide([alarm], guard.settings, standing={})
            guard._taken.append(decision.alarm)
            guard._apply(decision)


class Wrong:
    def judge(self, tasks, completions, *, truncated=None):
        return [judged(Judgement.WRONG)] * len(completions)


def made(home: Path, folder: Path, tasks, judge, *callbacks, canary=(), attempt=0, every=1, sampling=None, **values):
    file = stage_file(home, folder, attempt=attempt, sampling=sampling, **values)
    trainer = file.trainer.model_copy(
        update={"guard": GuardConfig(every=every, canary_tasks=len(canary), canary_samples=2)}
    )
    file = file.model_copy(update={"trainer": TrainerConfig.model_validate(trainer.model_dump())})
    scheduler = schedulers.get(file.scheduler)(pool_of(tasks), file.scheduler_config, file.seed)
    stage = Stage(
        file, policy=policies.load(file.policy), tasks=tasks, scheduler=scheduler, judge=judge, callbacks=callbacks,
        canary=canary,
    )  # fmt: skip
    for one in callbacks:
        one.stage = stage
    return stage


def test_a_stage_killed_after_a_knob_moved_goes_on_with_it(tmp_path: Path, warm_folder, train_tasks, judge):
    """Looks every 3 steps, checkpoints every 2: what lies between two looks is kept too."""
    how = {"canary": train_tasks[::60], "every": 3, "n_steps": 6}
    whole = made(tmp_path / "a", warm_folder, train_tasks, judge, Moves(3), **how)
    through = whole.train()
    killed = made(tmp_path / "b", warm_folder, train_tasks, judge, Moves(3), Kills(5), **how)
    with pytest.raises(Killed):
        killed.train()
    resumed = made(tmp_path / "b", warm_folder, train_tasks, judge, attempt=1, **how)
    again = resumed.train()
    assert (resumed.guard.settings.entropy_coef, resumed.guard.settings.pass_k) == (0.025, 2)
    assert repr(resumed.guard.state()) == repr(whole.guard.state())
    first, second = (load_file(t.checkpoint.folder / "model.safetensors") for t in (through, again))
    assert all(torch.equal(first[name], second[name]) for name in first)


@pytest.mark.parametrize("step", [3, 5])
def test_a_killed_stage_acts_once(tmp_path: Path, warm_folder, train_tasks, step):
    """Killed between an action and the next checkpoint, or after that one: the rows are those of a stage unkilled."""
    how = {"n_steps": 8, "scheduler": "frontier"}
    whole = made(tmp_path / "a", warm_folder, train_tasks, Wrong(), **how)
    whole.train()
    killed = made(tmp_path / "b", warm_folder, train_tasks, Wrong(), Kills(step), **how)
    with pytest.raises(Killed):
        killed.train()
    resumed = made(tmp_path / "b", warm_folder, train_tasks, Wrong(), attempt=1, **how)
    resumed.train()
    wanted = spooled(whole, (Action, Alarm))
    found = {repr(row) for stage in (killed, resumed) for row in spooled(stage, (Action, Alarm))}
    assert found == {repr(row) for row in wanted}
    assert [row.action for row in wanted if isinstance(row, Action)] == ["mixture against the leading kind"]


def test_a_stage_that_its_guard_ended_is_over(tmp_path: Path, warm_folder, train_tasks, judge):
    """A process that dies between the last checkpoint and its result leaves a stage that has ended."""

    class Ends(TrainerCallback):
        stage: Stage

        def on_step_end(self, args, state, control, **_):
            if state.global_step == 3:
                self.stage.guard.reason = "gradient: stop"
                control.should_training_stop = control.should_save = True

    ended = made(tmp_path, warm_folder, train_tasks, judge, Ends()).train()
    again = made(tmp_path, warm_folder, train_tasks, judge, attempt=1).train()
    assert (again.n_steps, again.reason) == (ended.n_steps, ended.reason) == (3, "gradient: stop")
    assert again.n_rollouts == 0


@pytest.mark.parametrize(("scheduler", "applied"), [("uniform", False), ("frontier", True)])
def test_a_mixture_is_moved_where_draws_follow_one(tmp_path: Path, warm_folder, train_tasks, scheduler, applied):
    stage = made(tmp_path, warm_folder, train_tasks, Wrong(), scheduler=scheduler)
    stage.train()
    (action,) = spooled(stage, Action)
    assert action.applied is applied
    assert ("mixture" in action.after) is applied
    assert ("refused" in action.after) is not applied


@pytest.mark.parametrize("scheduler", ["uniform", "frontier"])
@pytest.mark.parametrize("temperature", [0.0, 0.7])
def test_guard_and_looks_start_from_the_same_settings(tmp_path: Path, warm_folder, train_tasks, scheduler, temperature):
    given = {"replay": 0.1} if scheduler == "frontier" else {}
    sampling = SamplingConfig(temperature=temperature)
    stage = made(
        tmp_path, warm_folder, train_tasks, Wrong(), scheduler=scheduler, scheduler_config=given, sampling=sampling
    )
    config = CampaignConfig.model_validate(
        {
            "stage": stage.file.trainer.stage.model_dump(),
            "sampling": sampling.model_dump(),
            "curriculum": {"scheduler": scheduler, "scheduler_config": given},
        }
    )
    assert stage.guard.settings == settings_of(config)
    assert stage.guard.settings.planned is (scheduler == "frontier")
