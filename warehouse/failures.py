"""What the engine's errors say to people: a full disk is the reader's to mend, the rest is named and kept short."""

from __future__ import annotations

import duckdb

from warehouse.errors import GradatimError, UserError
from warehouse.home import Home

FULL = ("database or disk is full", "no space left on device")
"""How SQLite and the operating system say that the disk is full."""


class WarehouseFailed(GradatimError):
    """The engine could not do what it was asked; nothing of the transaction was written."""


def told(error: duckdb.Error, home: Home, doing: str) -> GradatimError:
    """The error to raise in place of the engine's own while `doing` something in `home`."""
    text = str(error)
    if any(sign in text.lower() for sign in FULL):
        return UserError(
            f"the disk under {home.root} is full while {doing}; what was committed before is whole; "
            "free some space and run the same command again; see: gradatim doctor"
        )
    lines = [line for line in text.splitlines() if line.strip()] or [type(error).__name__]
    return WarehouseFailed(f"the warehouse in {home.root} failed while {doing}: {lines[-1]}; see: gradatim doctor")
