"""Agent tasks: environments with typed tools, episodes within a budget, and grading by a pristine copy.

An environment is one class under one protocol, added by decorator. A rollout is its turns; what is graded is what was
submitted, applied to a copy that the policy never touched.
"""

from synth.environments.budget import Budget
from synth.environments.environment import ENVIRONMENTS, Environment, environment
from synth.environments.episode import Episode, Observation
from synth.environments.tools import Infrastructure, Tool, ToolError, tool

__all__ = [
    "ENVIRONMENTS",
    "Budget",
    "Environment",
    "Episode",
    "Infrastructure",
    "Observation",
    "Tool",
    "ToolError",
    "environment",
    "tool",
]
