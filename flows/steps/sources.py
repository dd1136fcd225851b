"""Source files named on the command line."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from warehouse.errors import UserError


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
        paths[name] = Path(path)
    return paths


def sha256_of(path: Path) -> str:
    """SHA-256 of a file; raises `UserError` when there is none."""
    if not path.is_file():
        raise UserError(f"source file '{path}' is not there; give NAME=PATH; see: gradatim run --help")
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
