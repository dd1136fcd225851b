"""The settings of a stage that actions may move, read from its configuration in one place."""

from __future__ import annotations

from collections.abc import Mapping

from curriculum.knobs import Settings
from curriculum.schedulers.frontier_config import FrontierConfig
from trainer.config import SamplingConfig, StageConfig
from warehouse.records import JsonValue

PLANNED = "frontier"
"""The scheduler whose draws follow the plan's weights and a share of replay."""

COLDEST = 1e-6
"""What stands for a temperature of 0, which no knob can have."""


def settings_of(
    stage: StageConfig, sampling: SamplingConfig, *, scheduler: str, scheduler_config: Mapping[str, JsonValue]
) -> Settings:
    """What the guard within a stage and the looks between stages both start from.

    >>> settings_of(StageConfig(), SamplingConfig(temperature=0), scheduler="uniform", scheduler_config={}).planned
    False
    """
    planned = scheduler == PLANNED
    drawn = FrontierConfig.model_validate(scheduler_config) if planned else FrontierConfig()
    return Settings(
        learning_rate=stage.learning_rate,
        entropy_coef=stage.entropy_coef,
        beta=stage.beta,
        temperature=sampling.temperature or COLDEST,
        pass_k=stage.pass_k,
        replay=drawn.replay,
        max_completion_tokens=sampling.max_tokens,
        staleness=sampling.staleness,
        group=stage.group_size,
        updates_per_generation=stage.num_iterations,
        planned=planned,
    )
