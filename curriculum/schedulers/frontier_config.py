"""The frontier scheduler's constants, in one place; tuned on the tuning worlds only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated

from pydantic import Field

from curriculum.abilities import AbilityConfig
from curriculum.schedulers.registry import SchedulerConfig


class FrontierConfig(SchedulerConfig):
    """Settings of the frontier."""

    abilities: AbilityConfig = AbilityConfig()
    """The model of arms and tasks."""
    keep: float = Field(0.8, gt=0, le=1)
    """How much of a task's evidence is kept at each of its groups: the policy changes, and learns tasks by rote."""
    reuse: float = Field(2.4, gt=0)
    """Informative groups after which a task counts half."""
    worth: float = Field(1.0, ge=0)
    """Power of an arm's worth in the score: what its practice can still move, over the levels that it carries to."""
    reach: float = Field(1.2, gt=0)
    """Levels over which practice is taken to carry (e-folding)."""
    cross: float = Field(0.05, ge=0, le=1)
    """Share of it that is taken to reach other families."""
    gamma: float = Field(0.0, ge=0)
    """Power of the relative cost that divides the score; 0 counts rollouts, 1 counts cost."""
    arm_temperature: float = Field(0.25, gt=0)
    """Temperature of the softmax that shares a batch out to arms, in units of the best arm's score. Worlds of the
    simulator would have it lower; a real policy that practises few arms alone moves away from what it can do in the
    others (`benchmarks/curriculum_live.py`)."""
    temperature: float = Field(0.02, gt=0)
    """Temperature of the Gumbel draw within an arm, in units of the score."""
    explore: float = Field(0.02, ge=0, le=0.5)
    """Share of a batch for re-probes, unseen or stale tasks."""
    replay: float = Field(0.02, ge=0, le=0.5)
    """Share of a batch for mastered tasks."""
    floor: float = Field(0.1, ge=0, le=0.5)
    """Share of a batch that all live arms together are sure of; at most .02 each. Worlds of the simulator would have it
    near 0; a real policy forgets levels that it does not meet (`benchmarks/curriculum_live.py`)."""
    mastered: float = Field(0.9, gt=0.5, lt=1)
    """Expected pass rate above which a task is replayed as mastered."""
    thin_batches: float = Field(20.0, ge=0)
    """Stock under this many batches asks for more tasks."""
    weights: Mapping[str, Annotated[float, Field(ge=0, allow_inf_nan=False)]] | None = None
    """A plan's weight an arm; with it each arm's share of a batch stays within [w / slack, w * slack]."""
    slack: float = Field(2.0, ge=1)
    """How far a batch may leave the plan's weights."""
