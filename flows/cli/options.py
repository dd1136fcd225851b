"""Options that many verbs take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON value on stdout.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done and change nothing.")]


def home_of(context: typer.Context) -> Path:
    """The home that the global option `--home` names."""
    home: Path = context.obj
    return home
