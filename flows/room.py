"""Room for Prefect's server, without which its start is waited for in vain."""

from __future__ import annotations

import shutil
from pathlib import Path

from warehouse.errors import UserError

ROOM_MB = 64
"""Free space that a flow needs at least."""


def make_room(folder: Path) -> None:
    """Make Prefect's folder, as it makes none above its own; raises `UserError` where the disk is full."""
    folder.mkdir(parents=True, exist_ok=True)
    free_mb = shutil.disk_usage(folder).free >> 20
    if free_mb < ROOM_MB:
        raise UserError(
            f"{free_mb} MB are free at '{folder}', a flow needs {ROOM_MB}; free some, or: gradatim --home DIR"
        )
