import json
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from trainer_stages import build, stage_file

from synth.graders import judged
from trainer.config import GuardConfig, TrainerConfig
from trainer.errors import Diverged
from warehouse.records import Judgement


def guarded(file, **values):
    trainer = file.trainer.model_copy(update={"guard": GuardConfig(**values)})
    return file.model_copy(update={"trainer": TrainerConfig.model_validate(trainer.model_dump())})


class Sometimes:
    """Half of the completions cannot be judged for want of infrastructure."""

    def judge(self, tasks, completions, *, truncated=None):
        return [judged(Judgement.INFRA if len(text) % 2 else Judgement.WRONG) for text in completions]


def test_broken_infrastructure_is_recorded_and_watch_only_does_nothing(tmp_path: Path, warm_folder, train_tasks):
    file = guarded(stage_file(tmp_path, warm_folder, n_steps=6), every=1, canary_tasks=0, watch_only=True)
    stage = build(file, train_tasks, Sometimes())
    trained = stage.train()
    assert trained.n_steps == 6
    assert trained.reason is None
    alarms = list(file.spool.glob("step-*-alarms.json"))
    assert alarms
    assert '"infrastructure"' in "".join(path.read_text() for path in alarms)


class Silent:
    """Nothing can be decided of any completion."""

    def judge(self, tasks, completions, *, truncated=None):
        return [judged(Judgement.UNDECIDED)] * len(completions)


def test_what_is_undecided_counts_as_what_failed_by_infrastructure(tmp_path: Path, warm_folder, train_tasks):
    """Between stages and within them the share is one and the same: of what was not decided."""
    stage = build(guarded(stage_file(tmp_path, warm_folder), every=1, canary_tasks=0), train_tasks, Silent())
    stage.train()
    assert stage.guard.history.values("infra_rate").tolist() == [1.0] * 4


def test_a_canary_that_nobody_can_judge_is_sampled_at_looks_alone(tmp_path: Path, warm_folder, train_tasks, judge):
    file = guarded(stage_file(tmp_path, warm_folder), every=2, canary_tasks=6, canary_samples=2)
    from trainer import policies
    from trainer.training import Stage

    stage = Stage(
        file, policy=policies.load(file.policy), tasks=train_tasks, scheduler=_uniform(file, train_tasks),
        judge=Silent(), canary=train_tasks[::40],
    )  # fmt: skip
    stage.train()
    assert stage.guard.n_rollouts == 3 * 6 * 2


def test_the_canary_is_counted_and_leaves_the_training_alone(tmp_path: Path, warm_folder, train_tasks, judge):
    plain = build(stage_file(tmp_path / "a", warm_folder), train_tasks, judge).train()
    file = guarded(stage_file(tmp_path / "b", warm_folder), every=2, canary_tasks=6, canary_samples=2)
    from trainer import policies
    from trainer.training import Stage

    stage = Stage(
        file, policy=policies.load(file.policy), tasks=train_tasks, scheduler=_uniform(file, train_tasks), judge=judge,
        canary=train_tasks[::40],
    )  # fmt: skip
    watched = stage.train()
    assert watched.n_rollouts - plain.n_rollouts == 3 * 6 * 2
    first, second = (load_file(t.checkpoint.folder / "model.safetensors") for t in (plain, watched))
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_a_policy_that_falls_ends_its_stage(tmp_path: Path, warm_folder, train_tasks, judge):
    """At a hundred times the rate the canary's pass rate falls, and the guard ends the stage before its last step."""
    file = guarded(
        stage_file(tmp_path, warm_folder, n_steps=40, learning_rate=3e-2, warmup_steps=0, checkpoint_every=40),
        every=2, canary_tasks=40, canary_samples=4,
    )  # fmt: skip
    from trainer import policies
    from trainer.training import Stage

    easy = [task for task in train_tasks if task.level <= 3]
    trained = Stage(
        file, policy=policies.load(file.policy), tasks=train_tasks, scheduler=_uniform(file, train_tasks), judge=judge,
        canary=easy,
    ).train()  # fmt: skip
    assert trained.n_steps < 40
    assert trained.reason is not None
    assert trained.reason.startswith(("pass_rate_gap", "gradient"))


def test_a_gradient_that_is_no_number_ends_the_stage_at_its_last_whole_checkpoint(
    tmp_path: Path, warm_folder, train_tasks, judge
):
    file = guarded(stage_file(tmp_path, warm_folder, n_steps=6), every=10, canary_tasks=0)
    stage = build(file, train_tasks, judge)

    def strike(*_):
        if (file.folder / "checkpoint-2" / "gradatim.json").is_file():
            stage.trainer.model.lm_head.weight.register_hook(lambda gradient: gradient * torch.nan)

    stage.trainer.model.register_forward_pre_hook(strike)
    trained = stage.train()
    assert (trained.n_steps, trained.reason) == (2, "gradient: roll back, rate x .25")
    (told,) = file.spool.glob("step-*-divergence.json")
    rows = dict(json.loads(told.read_text()))
    assert (rows["alarms"]["detector"], rows["alarms"]["inputs"]["value"]) == ("gradient", None)
    assert rows["actions"]["after"] == {"learning_rate": 3.75e-5, "rollback": True, "end_stage": True}


def test_a_gradient_that_is_no_number_before_any_checkpoint_is_an_error(
    tmp_path: Path, warm_folder, train_tasks, judge
):
    stage = build(guarded(stage_file(tmp_path, warm_folder), canary_tasks=0), train_tasks, judge)
    stage.trainer.model.lm_head.weight.register_hook(lambda gradient: gradient * torch.nan)
    with pytest.raises(Diverged, match="gradient norm is nan"):
        stage.train()


class Bought:
    """A judge whose reward has a hole: from its third call on every completion is paid for, right or not."""

    def __init__(self, judge):
        self.inner, self.calls = judge, 0

    def judge(self, tasks, completions, *, truncated=None):
        self.calls += 1
        words = self.inner.judge(tasks, completions, truncated=truncated)
        return [replace(word, reward=1.0) for word in words] if self.calls > 2 else words


def test_reward_that_runs_away_from_the_hidden_tests_ends_the_stage(tmp_path: Path, warm_folder, train_tasks, judge):
    file = guarded(stage_file(tmp_path, warm_folder, n_steps=12), every=1, canary_tasks=0)
    trained = build(file, train_tasks, Bought(judge)).train()
    assert trained.reason == "hidden_tests: quarantine the tasks, end the stage"
    assert trained.n_steps < 12


def _uniform(file, tasks):
    from curriculum import schedulers
    from curriculum.pool import pool_of

    return schedulers.get("uniform")(pool_of(tasks), {}, file.seed)
