"""Lengths of time as people write them."""

from __future__ import annotations

import re
from datetime import timedelta

from warehouse.errors import UserError

UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


def duration(text: str) -> timedelta:
    """A number and a unit out of s, m, h, d, w; raises `UserError` for anything else.

    >>> duration("90d").days, duration("36h").days
    (90, 1)
    """
    matched = re.fullmatch(r"(\d{1,5})([smhdw])", text.strip())
    if matched is None:
        raise UserError(
            f"duration '{text}' is not a number and a unit out of {', '.join(UNITS)}, e.g. 90d; "
            "see: gradatim warehouse --help"
        )
    return timedelta(**{UNITS[matched[2]]: int(matched[1])})
