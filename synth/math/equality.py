"""The four outcomes of comparing an answer with a gold, and the error of the math boundary."""

from __future__ import annotations

from enum import StrEnum

from warehouse.errors import GradatimError


class Equality(StrEnum):
    """What comparing an answer with a gold found; *could not decide* is never *not equal*."""

    EQUAL = "EQUAL"
    NOT_EQUAL = "NOT_EQUAL"
    UNDECIDED = "UNDECIDED"
    GOLD_INVALID = "GOLD_INVALID"


class MathError(GradatimError):
    """A text is outside the grammar, or over the cost limits, of the math checker."""
