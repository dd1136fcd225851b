"""An export back into tasks, each file held against its checksum first."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from warehouse.contracts import contract
from warehouse.exports.layouts import task_fields
from warehouse.exports.manifest import NAME, ExportError, Manifest, read_manifest
from warehouse.exports.origin import Origin, origin_of
from warehouse.records import Task
from warehouse.rows import records_of
from warehouse.writing import checksum


@dataclass(frozen=True, slots=True)
class Package:
    """What an export holds: its manifest, its tasks by id in order, and who made each, where the export says so."""

    manifest: Manifest
    tasks: list[Task]
    origins: Mapping[str, Origin]


def read(folder: Path | str) -> list[Task]:
    """The tasks of an exported folder in any layout, sorted by id; what was left out stays none; raises as `unpack`."""
    return unpack(folder).tasks


def unpack(folder: Path | str) -> Package:
    """An exported folder in any layout.

    Raises `UserError` when the folder holds no export or one of a newer gradatim, `ExportError` for a file that is
    missing, cut or changed, and for a row that is no task.
    """
    root, manifest = described(folder)
    rows = [row for name, digest in manifest.files.items() for row in _rows(_whole(root, name, digest))]
    if len(rows) != sum(manifest.n_tasks.values()):
        raise ExportError(f"{root} holds {len(rows)} tasks, its manifest says {sum(manifest.n_tasks.values())}")
    try:
        told = [task_fields(manifest.layout, row) for row in rows]
        table = pa.Table.from_pylist([fields for fields, _ in told], schema=contract(Task).arrow_schema)
        for column in contract(Task).columns:
            if not column.nullable and table.column(column.name).null_count:
                raise ValueError(f"{column.name} is missing")
        tasks = records_of(Task, table)
        origins = {task.task_id: origin for task, (_, text) in zip(tasks, told, strict=True)
                   if (origin := origin_of(text)) is not None}  # fmt: skip
    except (KeyError, TypeError, IndexError, ValueError, OverflowError, AttributeError, RecursionError,
            pa.ArrowException) as error:  # fmt: skip
        raise ExportError(f"a row of {root} is no task of layout {manifest.layout}: {error}") from error
    if len({task.task_id for task in tasks}) < len(tasks):
        raise ExportError(f"{root} holds a task twice")
    return Package(manifest, sorted(tasks, key=lambda task: task.task_id), origins)


def described(folder: Path | str) -> tuple[Path, Manifest]:
    """The folder of an export, which may be named by its manifest, and the manifest; raises as `read_manifest` does."""
    root = Path(folder)
    root = root.parent if root.name == NAME else root
    return root, read_manifest(root)


def _whole(root: Path, name: str, digest: str) -> Path:
    """The file `name` of an export, once it is what was written."""
    place = PurePosixPath(name)
    if place.is_absolute() or ".." in place.parts:
        raise ExportError(f"{root / NAME} names '{name}', which is not within the export")
    path = root / place
    if not _is_file(path):
        raise ExportError(f"{path} is missing; export or fetch it again")
    if checksum(path)[1] != digest:
        raise ExportError(f"{path} was cut or changed: its blake3 is not the manifest's; export or fetch it again")
    return path


def _is_file(path: Path) -> bool:
    """Whether a file is there; none is under a name that no file can have."""
    try:
        return path.is_file()
    except OSError:
        return False


def _rows(path: Path) -> list[dict[str, Any]]:
    try:
        if path.suffix == ".parquet":
            return pq.read_table(path).to_pylist()  # type: ignore[no-any-return]
        with path.open(encoding="utf-8") as file:
            return [json.loads(line) for line in file]
    except (ValueError, RecursionError, pa.ArrowException) as error:
        raise ExportError(f"{path} cannot be read: {error}") from error
