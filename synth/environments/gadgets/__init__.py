"""Tool sets of a few tokens: unknown tools for policies that learn in minutes."""

from synth.environments.gadgets.kit import Kit
from synth.environments.gadgets.making import draft
from synth.environments.gadgets.scripts import careful, hasty

__all__ = ["Kit", "careful", "draft", "hasty"]
