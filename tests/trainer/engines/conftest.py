"""One small pocket pair for the tests of engines."""

from __future__ import annotations

import pytest

from trainer.engines.config import LearnerConfig, WritingConfig

TINY = WritingConfig(
    n_proposals=64,
    families=("rev", "inc"),
    levels=(2,),
    writer=LearnerConfig(n_steps=30, n_lessons=512, batch_size=32),
    checker=LearnerConfig(n_steps=60, n_lessons=512, batch_size=32),
)


@pytest.fixture(scope="session")
def tiny() -> WritingConfig:
    return TINY
