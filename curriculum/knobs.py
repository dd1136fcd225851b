"""The settings that a controller may move: their bounds, when they act, and under which settings they act at all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import StrEnum
from typing import NamedTuple

from pydantic import BaseModel, ConfigDict, Field

from warehouse.errors import UserError


class Scope(StrEnum):
    """When a change takes effect."""

    STEP = "step"
    STAGE = "stage"


class Settings(BaseModel):
    """The training settings that actions read and move."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    learning_rate: float = Field(3e-4, gt=0)
    """Peak learning rate."""
    entropy_coef: float = Field(0.0, ge=0)
    """Coefficient of the entropy bonus."""
    beta: float = Field(0.0, ge=0)
    """Coefficient of KL to the reference policy."""
    temperature: float = Field(1.0, gt=0)
    """Sampling temperature."""
    epsilon_high: float = Field(0.28, gt=0)
    """Upper clip range of the importance ratio."""
    pass_k: int = Field(1, ge=1)
    """k of pass@k advantages; 1 is plain GRPO. At most half the group."""
    replay: float = Field(0.05, ge=0, le=0.5)
    """Share of a batch for mastered tasks."""
    max_completion_tokens: int = Field(64, ge=1)
    """Length cap."""
    staleness: int = Field(0, ge=0)
    """Updates that samples may lag behind."""
    group: int = Field(8, ge=2)
    """Rollouts in a group; no action moves it."""
    updates_per_generation: int = Field(1, ge=1)
    """Optimizer steps on one batch of rollouts; no action moves it."""
    planned: bool = True
    """Whether draws follow the plan's weights and replay mastered tasks; no action moves it."""


class Knob(NamedTuple):
    """One setting: `low` and `high` bound what actions may make of it; `acts` says whether it has any effect."""

    low: float
    high: float
    scope: Scope
    acts: Callable[[Settings], bool]
    unless: str


def _always(settings: Settings) -> bool:
    del settings
    return True


KNOBS: Mapping[str, Knob] = {
    "learning_rate": Knob(1e-7, 1e-2, Scope.STEP, _always, ""),
    "entropy_coef": Knob(0.0, 0.05, Scope.STEP, _always, ""),
    "beta": Knob(0.0, 0.1, Scope.STAGE, _always, ""),
    "temperature": Knob(0.6, 1.2, Scope.STAGE, _always, ""),
    "epsilon_high": Knob(
        0.2, 0.4, Scope.STEP, lambda s: s.updates_per_generation > 1, "with one update a generation the ratio is 1"
    ),
    "pass_k": Knob(1, 8, Scope.STEP, lambda s: s.group >= 4, "a group under 4 has no k above 1 with k <= G/2"),
    "replay": Knob(0.0, 0.3, Scope.STAGE, lambda s: s.planned, "this scheduler replays no mastered tasks"),
    "max_completion_tokens": Knob(4, 65_536, Scope.STAGE, _always, ""),
    "staleness": Knob(0, 16, Scope.STAGE, lambda s: s.staleness > 0, "samples are not stale under these settings"),
}
"""Every knob an action may move. Temperature is fixed when a trainer starts, so it moves between stages only."""


def moved(settings: Settings, knob: str, value: float) -> Settings:
    """`settings` with `knob` at `value` held within its bounds; one that starts beyond them is never pushed back.

    Raises `UserError` for an unknown knob, and for one that has no effect under these settings.
    """
    if knob not in KNOBS:
        raise UserError(f"unknown knob '{knob}'; known: {', '.join(sorted(KNOBS))}; see: gradatim watch --help")
    rule = KNOBS[knob]
    if not rule.acts(settings):
        raise UserError(f"knob '{knob}' has no effect here: {rule.unless}; see: gradatim watch --help")
    old = getattr(settings, knob)
    held = min(max(value, min(rule.low, old)), max(rule.high, old))
    if knob == "pass_k":
        held = min(held, settings.group // 2)
    return settings.model_copy(update={knob: round(held) if isinstance(old, int) else held})
