"""A small world to train in: three families, a judge, and a policy warm-started once for all tests."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import torch

sys.path.insert(0, str(Path(__file__).parent))
os.environ.setdefault("TOKENIZERS_PARALLELISM", "false")

from trainer_tasks import FAMILY_NAMES, tasks_of

from synth.demonstrations import demonstrations, level_weights
from synth.graders import Judge
from trainer import policies, sft
from trainer.config import WarmStartConfig
from trainer.policies import LoadedPolicy
from warehouse.records import Split, Task


@pytest.fixture(scope="session", autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


@pytest.fixture(scope="session")
def judge() -> Iterator[Judge]:
    with Judge(workers=1) as judge:
        yield judge


@pytest.fixture(scope="session")
def train_tasks() -> list[Task]:
    return tasks_of(Split.TRAIN, 30)


@pytest.fixture(scope="session")
def heldout_tasks() -> list[Task]:
    return tasks_of(Split.HELDOUT, 8, seed=7)


@pytest.fixture(scope="session")
def warm_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A saved policy after a short warm start on short levels."""
    config = WarmStartConfig(n_steps=90, batch_size=64, level_weights=(40, 25, 5))
    weights = level_weights(FAMILY_NAMES, config.level_weights)
    pairs = [(d.prompt, d.completion) for d in demonstrations(weights, seed=0, n=90 * 64)]
    started = sft.warm_start(policies.fresh_pocket(0), pairs, config, seed=0)
    folder = tmp_path_factory.mktemp("warm")
    policies.save(started.policy, folder)
    return folder


@pytest.fixture
def warm_policy(warm_folder: Path) -> LoadedPolicy:
    return replace(policies.load(str(warm_folder)), path=str(warm_folder))
