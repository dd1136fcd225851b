"""An export back into tasks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from warehouse.contracts import contract
from warehouse.errors import GradatimError, UserError
from warehouse.exports.layouts import layout, task_fields
from warehouse.records import Task
from warehouse.rows import records_of


class ExportError(GradatimError):
    """A file of an export is not what its manifest says."""


def read(folder: Path | str) -> list[Task]:
    """The tasks of an exported folder in any layout, sorted by id; what was left out stays none.

    Raises `UserError` when the folder holds no export, `ExportError` for a row that is no task.
    """
    root = Path(folder)
    told = root / "manifest.json"
    if not told.is_file():
        raise UserError(f"{root} is no export: it has no manifest.json; see: gradatim export --help")
    manifest = json.loads(told.read_text("utf-8"))
    layout(manifest["layout"])
    rows = [row for name in manifest["files"] for row in _rows(root / name)]
    try:
        fields = [task_fields(manifest["layout"], row) for row in rows]
        table = pa.Table.from_pylist(fields, schema=contract(Task).arrow_schema)
        return sorted(records_of(Task, table), key=lambda t: t.task_id)
    except (KeyError, TypeError, IndexError, ValueError, pa.ArrowException) as error:
        raise ExportError(f"a row of {root} is no task of layout {manifest['layout']}: {error}") from error


def _rows(path: Path) -> list[dict[str, Any]]:
    if not path.is_file():
        raise ExportError(f"{path} is missing")
    if path.suffix == ".parquet":
        return pq.read_table(path).to_pylist()  # type: ignore[no-any-return]
    with path.open(encoding="utf-8") as file:
        return [json.loads(line) for line in file]
