"""The models that judge: a configured model behind the home's cache of replies, for graders and for rubric tasks."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from pathlib import Path

from synth.engines import ENGINES, Cached, Engine, EngineReferee, ModelConfig
from synth.graders import Judge, RubricJudge
from warehouse.blobs import Blobs
from warehouse.errors import UserError
from warehouse.home import Home
from warehouse.records import Domain, Task

LOCAL = ("trainer.engines.local", "trainer.engines.vllm_engine")
"""Modules that add the engines which run in this process."""


def open_engine(config: ModelConfig, home: Path) -> Engine:
    """The engine that `config` names; raises `UserError` when it cannot be opened."""
    for module in LOCAL:
        importlib.import_module(module)
    return ENGINES.get(config.engine)(config, home)


def referee_of(config: ModelConfig | None, home: Path) -> EngineReferee | None:
    """The model that graders ask, where one is configured; the same question is asked once in the home's life."""
    if config is None:
        return None
    texts = Blobs(Home.at(home).blobs / "replies.sqlite")
    return EngineReferee(Cached(open_engine(config, home), texts))


def rubric_judge(
    tasks: Sequence[Task], config: ModelConfig | None, home: Path, *, policy_lineage: str
) -> RubricJudge | None:
    """The judge of the rubric tasks among `tasks`; none where there are none.

    Raises `UserError` where no model is configured for it, or one of the policy's lineage.
    """
    if not any(task.domain is Domain.RUBRIC for task in tasks):
        return None
    referee = referee_of(config, home)
    if referee is None:
        raise UserError("rubric tasks are judged by a model and none is configured; give [models.referee]")
    return RubricJudge(referee, policy_lineage=policy_lineage)


def judge_for(
    tasks: Sequence[Task], config: ModelConfig | None, home: Path, policy_lineage: str, workers: int = 1
) -> Judge:
    """A judge of all of `tasks`, rubric tasks by the configured model; raises as `rubric_judge` does."""
    return Judge(workers=workers, rubrics=rubric_judge(tasks, config, home, policy_lineage=policy_lineage))
