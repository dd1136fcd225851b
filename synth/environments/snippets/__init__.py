"""Programs of three lines to repair: the smallest agent task, for policies that learn in minutes on two cores."""

from synth.environments.snippets.making import draft
from synth.environments.snippets.program import Snippet
from synth.environments.snippets.scripts import careful, cheating

__all__ = ["Snippet", "careful", "cheating", "draft"]
