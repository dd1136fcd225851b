"""Stages in this process, small enough for tests."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import torch

from curriculum import schedulers
from curriculum.pool import pool_of
from trainer import policies
from trainer.config import GuardConfig, SamplingConfig, StageConfig, TrainerConfig
from trainer.stagefile import StageFile
from trainer.training import Stage
from warehouse.records import Task

STACK = """
[weights]
cost = 0.2
[[grader]]
name = "right"
uses = "verifier"
[[grader]]
name = "short"
uses = "length"
axis = "cost"
params = { most = 8 }
"""
"""A grader stack in which long answers cost."""


def stage_file(home: Path, policy: Path, *, sampling: SamplingConfig | None = None, **values: Any) -> StageFile:
    """A stage of few prompts; `values` go to the stage file or, where they are its fields, to `[stage]`."""
    own = {name: values.pop(name) for name in list(values) if name in StageFile.model_fields}
    stage = StageConfig(**{"prompts_per_step": 4, "group_size": 4, "n_steps": 4, "checkpoint_every": 2, **values})
    trainer = TrainerConfig(stage=stage, sampling=sampling or SamplingConfig(), guard=GuardConfig(canary_tasks=0))
    given = {"run_id": "r", "stage_id": "s", "snapshot_id": 0, "scheduler": "uniform", **own}
    return StageFile(home=str(home), policy=str(policy), trainer=trainer, **given)


def build(
    file: StageFile,
    tasks: Sequence[Task],
    judge: Any,
    *,
    progress: Callable[[int, Mapping[str, Any]], None] | None = None,
    callbacks: Sequence[Any] = (),
) -> Stage:
    """The stage ready to train, with a freshly loaded policy."""
    policy = replace(policies.load(file.policy, file.home))
    scheduler = schedulers.get(file.scheduler)(pool_of(tasks), file.scheduler_config, file.seed)
    return Stage(file, policy=policy, tasks=tasks, scheduler=scheduler, judge=judge, progress=progress,
                 callbacks=callbacks)  # fmt: skip


def losses(log: list[Mapping[str, Any]]) -> list[float]:
    """The loss of every logged step."""
    return [row["loss"] for row in log if "loss" in row]


def assert_in_no_term_of_the_loss(trainer: Any, batch: Mapping[str, Any], undecided: torch.Tensor) -> None:
    """Other tokens in the undecided rows leave the loss as it is; in the others they do not."""

    def loss_with(rows: torch.Tensor) -> float:
        changed = dict(batch)
        changed["completion_ids"] = batch["completion_ids"].clone()
        changed["completion_ids"][rows] = 5
        return float(trainer._compute_loss(trainer.model, changed).item())

    base = trainer._compute_loss(trainer.model, batch).item()
    assert math.isclose(loss_with(undecided), base, rel_tol=1e-6)
    assert not math.isclose(loss_with(~undecided), base, rel_tol=1e-3)


def spooled(stage: Stage, kind: type | tuple[type, ...]) -> list[Any]:
    """The records of a kind, or some, that a stage has spooled, as a committer would take them."""
    kept: list[Any] = []

    class Keeper:
        def commit(self, records: Sequence[Any], **_: Any) -> None:
            kept.extend(record for record in records if isinstance(record, kind))

    stage.spool.drain(Keeper(), run="r")  # type: ignore[arg-type]
    return kept
