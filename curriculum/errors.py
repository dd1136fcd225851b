"""The errors of the decision room."""

from __future__ import annotations

from warehouse.errors import GradatimError


class CurriculumError(GradatimError):
    """Inputs that no decision can be made from: impossible counts, arrays that do not fit together."""
