"""Repository repair: a small package with injected faults, tools to work on a copy, and grading of the patch alone."""

from synth.environments.repository.grading import grade, program_of_patch
from synth.environments.repository.patches import PatchError, applied, difference
from synth.environments.repository.workspace import Repository

__all__ = ["PatchError", "Repository", "applied", "difference", "grade", "program_of_patch"]
