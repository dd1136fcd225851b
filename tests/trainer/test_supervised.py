"""A light supervised stage: it imitates what is verified, stops above its entropy floor, resumes, and says why not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from trainer_stages import stage_file

from trainer import policies
from trainer.config import EvaluationConfig, SftConfig
from trainer.errors import StageFailed
from trainer.evaluate import evaluate
from trainer.stagefile import StageFile
from trainer.supervised import drawn, supervise, verified
from trainer.training import Trained
from warehouse.records import Judgement


def sft_file(home: Path, policy: Path, **settings) -> StageFile:
    own = {"n_steps": 12, "batch_size": 32, "entropy_every": 4, "entropy_tasks": 8, "entropy_floor": 0.0, **settings}
    file = stage_file(home, policy, kind="sft")
    return file.model_copy(update={"trainer": file.trainer.model_copy(update={"sft": SftConfig(**own)})})


def run(file: StageFile, tasks, judge, **more) -> Trained:
    policy = policies.load(file.policy, file.home)
    solutions = [(task, task.reference) for task in tasks]
    return supervise(file, policy=policy, tasks=tasks, solutions=solutions, judge=judge, **more)


def pass_rate(folder: Path, tasks, judge) -> float:
    found = evaluate(policies.load(str(folder)), tasks, judge, EvaluationConfig(n_tasks=len(tasks), k=1)).rollouts
    return sum(row.judgement is Judgement.PASS for row in found) / len(found)


def test_a_supervised_stage_learns_and_leaves_its_metrics(tmp_path, warm_folder, train_tasks, judge):
    short = [task for task in train_tasks if task.level <= 4]
    log: list[dict] = []
    file = sft_file(tmp_path, warm_folder)
    made = run(file, short, judge, progress=lambda _, logs: log.append(dict(logs)))
    assert (made.n_steps, made.reason, made.checkpoint.step) == (12, None, 12)
    assert run(file, short, judge).n_steps == 12
    assert made.n_rollouts == 4 * 8 * 4
    assert len(log) == 12
    assert log[-1]["loss"] < log[0]["loss"]
    assert "sampled_entropy" in log[3]
    names = {row["name"] for file_ in file.spool.glob("*-metrics.json") for _, row in json.loads(file_.read_text())}
    assert {"loss", "grad_norm", "sampled_entropy"} <= names
    assert pass_rate(made.checkpoint.folder, short, judge) > pass_rate(warm_folder, short, judge) + 0.05


def test_it_ends_with_the_last_checkpoint_above_the_floor(tmp_path, warm_folder, train_tasks, judge):
    """On one solution entropy falls: the stage stops, and what it leaves was seen above the floor."""
    one = [task for task in train_tasks if task.level == 2][:1]
    seen: dict[int, float] = {}
    settings = {"n_steps": 60, "entropy_every": 2, "entropy_floor": 0.25, "learning_rate": 1e-3, "entropy_samples": 16}
    made = run(sft_file(tmp_path, warm_folder, **settings), one, judge, progress=lambda step, logs: seen.update(
        {step: logs["sampled_entropy"]} if "sampled_entropy" in logs else {}))  # fmt: skip
    assert made.reason is not None
    assert "fell below 0.25" in made.reason
    assert made.n_steps < 60
    assert made.checkpoint.step == made.n_steps - 2
    assert seen[made.checkpoint.step] >= 0.25


def test_a_policy_below_the_floor_is_not_trained(tmp_path, warm_folder, train_tasks, judge):
    with pytest.raises(StageFailed, match="before the first step"):
        run(sft_file(tmp_path, warm_folder, entropy_floor=3.0), train_tasks[:8], judge)


@pytest.mark.slow
def test_a_killed_supervised_stage_goes_on(tmp_path, warm_folder, train_tasks, judge):
    class Killed(Exception):
        pass

    def die(step, _):
        if step == 6:
            raise Killed

    whole = run(sft_file(tmp_path / "a", warm_folder), train_tasks, judge)
    file = sft_file(tmp_path / "b", warm_folder)
    with pytest.raises(Killed):
        run(file, train_tasks, judge, progress=die)
    again = run(file.model_copy(update={"attempt": 1}), train_tasks, judge)
    first, second = (load_file(made.checkpoint.folder / "model.safetensors") for made in (whole, again))
    assert all(torch.equal(first[name], second[name]) for name in first)


def test_only_what_the_judge_passes_is_imitated_and_arms_count_by_weight(train_tasks, judge):
    task = train_tasks[0]
    other = next(found for found in train_tasks if found.arm != task.arm)
    given = [(task, task.reference), (task, "wrong"), (task, task.reference), (other, other.reference)]
    kept = verified(given, judge)
    assert kept == [(task, task.reference), (other, other.reference)]
    assert {found.task_id for found, _ in drawn(kept, {task.arm: 1.0}, n=20, seed=0)} == {task.task_id}
    with pytest.raises(StageFailed, match="no task that the plan draws from"):
        drawn(kept, {"nope": 1.0}, n=1, seed=0)
