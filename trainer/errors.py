"""What can go wrong in a stage, by name."""

from __future__ import annotations

from warehouse.errors import GradatimError, UserError


class StageFailed(GradatimError):
    """A stage ended without a policy; the last good checkpoint stands."""


class StageKilled(StageFailed):
    """A stage's process was killed from outside, by the kernel for want of memory say."""


class Diverged(StageFailed):
    """Loss, gradient or logits are not finite numbers."""


class ServerFailed(StageFailed):
    """The server that samples a policy in training did not take its weights or did not answer whole."""


class RewardFailed(StageFailed):
    """The reward could not be computed, or decided nothing for several steps in a row."""


class CheckpointBroken(StageFailed):
    """A checkpoint is half written or does not match its own hash."""


class KnobRefused(UserError):
    """A setting is unknown to TRL, owned by gradatim, or has no effect under the other settings."""


class EvaluationFailed(GradatimError):
    """An evaluation has no tasks, or did not return what its protocol asks for."""
