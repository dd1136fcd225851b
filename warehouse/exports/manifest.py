"""The manifest of an export: what is in which file, by checksum, so that a cut or changed one is not taken for it."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field, fields
from hashlib import sha256
from pathlib import Path
from typing import Any

from warehouse.errors import GradatimError, UserError
from warehouse.exports.layouts import layout

NAME = "manifest.json"
FORMAT = 1
"""Version of the manifest and of the layouts' own columns."""


class ExportError(GradatimError):
    """A file of an export is not what its manifest says."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What an export says of itself; `files` maps a path within it to its blake3, `licences` a source to its own."""

    layout: str
    format: str
    snapshot_id: int
    private: list[str]
    sources: dict[str, int]
    n_tasks: dict[str, int]
    files: dict[str, str]
    licences: dict[str, str] = field(default_factory=dict)
    version: int = FORMAT
    sha256: str = field(default="", compare=False)
    """SHA-256 of the manifest as it was read, which stands for the whole export."""

    def text(self) -> str:
        """The manifest as it is written."""
        return json.dumps({k: v for k, v in asdict(self).items() if k != "sha256"}, indent=2) + "\n"


MOST = 2**63 - 1
"""Largest number that a column of the warehouse holds."""

_TYPES: dict[str, type | tuple[type, type]] = {
    "layout": str,
    "format": str,
    "snapshot_id": int,
    "private": (list, str),
    "sources": (dict, int),
    "n_tasks": (dict, int),
    "files": (dict, str),
    "licences": (dict, str),
    "version": int,
}
"""The type of each field; of a list or a table also that of its values."""


def read_manifest(folder: Path) -> Manifest:
    """The manifest of the export in `folder`.

    Raises `UserError` when there is none, when a newer gradatim wrote it or when its layout is unknown, and
    `ExportError` when it is damaged.
    """
    path = folder / NAME
    if not path.is_file():
        raise UserError(f"{folder} is no export: it has no {NAME}; see: gradatim export --help")
    content = path.read_bytes()
    try:
        told: Any = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise ExportError(f"{path} is damaged: {error}; export or fetch it again") from error
    version = told.get("version", FORMAT) if isinstance(told, dict) else None
    if isinstance(version, int) and version > FORMAT:
        raise UserError(
            f"{folder} is an export of format {version}, this gradatim reads up to {FORMAT}; "
            "install the version that wrote it: pip install --upgrade gradatim"
        )
    known = {f.name for f in fields(Manifest)} - {"sha256"}
    optional = {"licences", "version"}
    fits = isinstance(told, dict) and known - optional <= set(told) <= known
    if not fits or not all(_is(value, _TYPES[name]) for name, value in told.items()):
        raise ExportError(f"{path} is damaged: it has not the fields {', '.join(sorted(known))}; fetch it again")
    manifest = Manifest(**told, sha256=sha256(content).hexdigest())
    layout(manifest.layout)
    return manifest


def _is(value: Any, wanted: type | tuple[type, type]) -> bool:
    """Whether a value is of a type, as JSON has it; no number is negative or beyond what a column holds."""
    if isinstance(wanted, tuple):
        kind, inner = wanted
        held = value.values() if isinstance(value, dict) else value
        return isinstance(value, kind) and all(_is(one, inner) for one in held)
    if wanted is int:
        return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST
    return isinstance(value, wanted)
