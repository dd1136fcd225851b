"""Options that many verbs take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from warehouse.home import Home

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON value on stdout.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Say what would be done and change nothing.")]


def place_of(context: typer.Context) -> Home:
    """The warehouse that `--home` and the environment name, for verbs that only ask it."""
    from flows.settings import read_settings

    return read_settings(home_of(context)).place


def home_of(context: typer.Context) -> Path:
    """The home that the global option `--home` names."""
    home: Path = context.obj
    return home
