"""Unknown tools: tool sets made at random, with goals that only their use can reach."""

from synth.environments.toolsets.service import Service
from synth.environments.toolsets.workplace import Workplace

__all__ = ["Service", "Workplace"]
