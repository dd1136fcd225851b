"""Constants of the plain Beta frontier."""

from __future__ import annotations

from collections.abc import Mapping

from pydantic import Field

from curriculum.schedulers.registry import SchedulerConfig


class BetaConfig(SchedulerConfig):
    """Settings of the plain Beta frontier."""

    lam: float = Field(0.985, gt=0, le=1)
    """Decay of a task's evidence a step since its last group."""
    rho: float = Field(0.7, gt=0, le=1)
    """Further decay of a task's evidence at each new group."""
    arm_decay: float = Field(0.96, gt=0, le=1)
    """Decay of an arm's moments a step."""
    strength: float = Field(4.0, gt=0)
    """Groups that a family's prior counts for in its arms', and that of all arms in its families'."""
    reuse: float = Field(3.0, gt=0)
    """Informative groups after which a task counts half."""
    gamma: float = Field(0.0, ge=0)
    """Power of the relative cost that divides the score; 0 counts rollouts, 1 counts cost."""
    temperature: float = Field(0.06, gt=0)
    """Temperature of the Gumbel draw, in units of the score."""
    explore: float = Field(0.05, ge=0, le=0.5)
    """Share of a batch for unseen or stale tasks."""
    replay: float = Field(0.05, ge=0, le=0.5)
    """Share of a batch for mastered tasks."""
    mastered: float = Field(0.9, gt=0.5, lt=1)
    """Posterior mean above which a task is replayed as mastered."""
    thin_batches: float = Field(20.0, ge=0)
    """Stock under this many batches asks for more tasks."""
    weights: Mapping[str, float] | None = None
    """A plan's weight an arm; with it each arm's share of a batch stays within [w / slack, w * slack]."""
    slack: float = Field(2.0, ge=1)
    """How far a batch may leave the plan's weights."""
