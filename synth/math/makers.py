"""Makers of pairs: one for each class of mistakes that checkers of this kind have made."""

from __future__ import annotations

import random
from collections.abc import Callable

Maker = Callable[[random.Random], tuple[str, str, bool]]
"""From a random stream a gold, an answer, and whether they are equal by construction."""

MAKERS: dict[str, Maker] = {}


def maker(make: Maker) -> Maker:
    """Adds a maker of pairs under its function's name."""
    MAKERS[make.__name__] = make
    return make
