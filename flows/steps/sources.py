"""Sources named on the command line or in a configuration: the files they come from, and those that are here."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from flows.settings import Settings
from warehouse.errors import UserError

if TYPE_CHECKING:
    from warehouse.store import Store


def parse_sources(given: Sequence[str]) -> dict[str, Path]:
    """`NAME=PATH` pairs; raises `UserError` for another form or an unknown importer.

    >>> parse_sources([])
    {}
    """
    from synth import importers

    paths: dict[str, Path] = {}
    for text in given:
        name, equals, path = text.partition("=")
        if not equals or not path:
            raise UserError(f"source '{text}' must be NAME=PATH, e.g. gsm8k=train.jsonl; see: gradatim run --help")
        importers.get(name)
        if name in paths:
            raise UserError(f"source '{name}' is given twice; give it once; see: gradatim run --help")
        paths[name] = Path(path)
    return paths


def sha256_of(path: Path) -> str:
    """SHA-256 of a file; raises `UserError` when there is none."""
    if not path.is_file():
        raise UserError(f"source file '{path}' is not there; give NAME=PATH; see: gradatim run --help")
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def check_imported(store: Store, names: Sequence[str]) -> None:
    """Raise `UserError` when a benchmark is no imported source: what was made here is not measured against itself."""
    known = sorted({str(row["source"]) for row in store.rows("SELECT source FROM sources")})
    for name in names:
        if name not in known:
            raise UserError(
                f"benchmark '{name}' is no imported source (imported: {', '.join(known) or 'none'}); "
                "see: gradatim import --help"
            )


def check_benchmarks(settings: Settings, names: Sequence[str]) -> None:
    """`check_imported` before anything is made or planned; raises `UserError` for a home without a warehouse too."""
    if names:
        from flows.steps.upkeep import existing_store

        with existing_store(settings, read_only=True) as store:
            check_imported(store, names)
