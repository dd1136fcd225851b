"""Where a home's backups lie, kept beside its catalog, so that a broken one can say how it is brought back."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import NamedTuple

from warehouse.home import Home


class Backup(NamedTuple):
    """A folder that holds a copy of the home, and when it was made, UTC."""

    path: Path
    made_at: str


def note_backup(home: Home, folder: Path) -> None:
    """Remember that `folder` holds a copy of `home` as it is now."""
    line = {"path": str(folder), "made_at": datetime.now(UTC).isoformat(timespec="seconds")}
    with _notes(home).open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")


def last_backup(home: Home) -> Backup | None:
    """The newest backup that is still in its place."""
    try:
        lines = _notes(home).read_text("utf-8").splitlines()
        told = [Backup(Path(line["path"]), str(line["made_at"])) for line in map(json.loads, lines)]
    except (OSError, ValueError, TypeError, KeyError):  # no note, or one that was cut short
        return None
    return next((backup for backup in reversed(told) if Home(backup.path).catalog.is_file()), None)


def way_back(home: Home) -> str:
    """The next command for a home whose catalog is lost or broken."""
    new = home.root.with_name(f"{home.root.name}-restored")
    salvage = f"gradatim --home {home.root} warehouse check --salvage FOLDER"
    if backup := last_backup(home):
        return (
            f"its last backup is of {backup.made_at}; run: gradatim --home {new} warehouse restore {backup.path}; "
            f"or, with the rows that came later, but without snapshots: {salvage}"
        )
    return (
        f"no backup of it is known; from one: gradatim --home {new} warehouse restore FOLDER; "
        f"without one its rows go into a new home by: {salvage}"
    )


def _notes(home: Home) -> Path:
    return home.root / "backups.jsonl"
