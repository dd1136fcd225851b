"""Training pays: held-out pass@1 rises, clearly, in a stage that takes seconds."""

from __future__ import annotations

from pathlib import Path

import pytest
from trainer_stages import build, stage_file
from trainer_tasks import tasks_of

from curriculum.estimates import compare
from trainer import policies
from trainer.config import EvaluationConfig
from trainer.evaluate import evaluate
from warehouse.records import Split


def rates(folder: Path, tasks, judge):
    found = evaluate(policies.load(str(folder)), tasks, judge, EvaluationConfig(n_tasks=len(tasks))).rollouts
    passed: dict[str, float] = {task.task_id: 0.0 for task in tasks}
    for row in found:
        passed[row.task_id] += (row.reward or 0.0) / 16
    return [passed[task.task_id] for task in tasks]


def learned(tmp_path: Path, warm_folder: Path, judge, *, n_steps: int, seed: int):
    train = [task for task in tasks_of(Split.TRAIN, 60) if task.level <= 5]
    heldout = [task for task in tasks_of(Split.HELDOUT, 20, seed=7) if task.level <= 5]
    before = rates(warm_folder, heldout, judge)
    file = stage_file(
        tmp_path, warm_folder, n_steps=n_steps, prompts_per_step=16, group_size=8, checkpoint_every=n_steps, seed=seed,
        scheduler="frontier",
    )  # fmt: skip
    after = rates(build(file, train, judge).train().checkpoint.folder, heldout, judge)
    return compare(before, after)


def test_a_short_stage_learns(tmp_path: Path, warm_folder: Path, judge):
    change = learned(tmp_path, warm_folder, judge, n_steps=40, seed=0)
    assert change.difference > 0.05
    assert change.low > 0


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_longer_stage_learns_more_on_every_seed(tmp_path: Path, warm_folder: Path, judge, seed):
    change = learned(tmp_path, warm_folder, judge, n_steps=120, seed=seed)
    assert change.difference > 0.12
    assert change.low > 0.06
