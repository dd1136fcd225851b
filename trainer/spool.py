"""What a stage writes before a step ends, and how it reaches the warehouse exactly once."""

from __future__ import annotations

import dataclasses
import json
import os
import types
import typing
from collections.abc import Iterable, Sequence
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Any, Protocol

from warehouse.records import Action, Alarm, DrawRecord, Metric, Record, Rollout

STEP, SEALED = "step-", "sealed-"
SPOOLED: dict[str, type[Any]] = {cls.TABLE: cls for cls in (Rollout, DrawRecord, Metric, Alarm, Action)}
"""The records that a stage may spool, by table."""


class Committer(Protocol):
    """What draining needs of `warehouse.store.Store`."""

    def commit(self, records: Iterable[Record], *, batch: str, purpose: str, run: str) -> object: ...


class Spool:
    """One folder of a stage attempt: a file a step, complete or absent."""

    def __init__(self, folder: Path, *, stage_id: str, attempt: int) -> None:
        self.folder, self._stage_id, self._attempt = folder, stage_id, attempt
        folder.mkdir(parents=True, exist_ok=True)

    def write(self, step: int, part: str, records: Sequence[Record]) -> None:
        """Keep `records` of one step under a name that says which; the file appears whole or not at all."""
        rows = [[record.TABLE, {name: getattr(record, name) for name in _fields(type(record))}] for record in records]
        _write_whole(self.folder / f"{STEP}{step:08d}-{part}.json", json.dumps(rows, separators=(",", ":")))

    def drain(self, store: Committer, *, run: str) -> int:
        """Commit everything spooled and delete it; returns the rows committed.

        Files are first sealed into one list, which names the batch: a commit that was durable but not
        acknowledged is a no-op when the same list is drained again.
        """
        rows = sum(self._commit(sealed, store, run) for sealed in self._sealed())
        waiting = sorted(path.name for path in self.folder.glob(f"{STEP}*.json"))
        if not waiting:
            return rows
        sealed = self.folder / f"{SEALED}{waiting[0].removesuffix('.json')}-{len(waiting)}.json"
        _write_whole(sealed, json.dumps(waiting))
        return rows + self._commit(sealed, store, run)

    def _sealed(self) -> list[Path]:
        return sorted(self.folder.glob(f"{SEALED}*.json"))

    def _commit(self, sealed: Path, store: Committer, run: str) -> int:
        files = [self.folder / name for name in json.loads(sealed.read_text("utf-8"))]
        present = [file for file in files if file.is_file()]
        records = [_record(table, row) for file in present for table, row in json.loads(file.read_text("utf-8"))]
        if records and len(present) == len(files):
            store.commit(
                records,
                batch=f"spool:{self._stage_id}:{self._attempt}:{sealed.stem}",
                purpose="spool",
                run=run,
            )
        for file in present:
            file.unlink()
        sealed.unlink()
        return len(records)


@cache
def _fields(cls: type[Any]) -> tuple[str, ...]:
    """The names of a record's fields; reading them one by one costs a fifth of `dataclasses.asdict`, which copies."""
    return tuple(field.name for field in dataclasses.fields(cls))


def _write_whole(path: Path, text: str) -> None:
    draft = path.with_suffix(".tmp")
    draft.write_text(text, "utf-8")
    os.replace(draft, path)


def _record(table: str, row: dict[str, Any]) -> Record:
    cls = SPOOLED[table]
    values = {name: _typed(value, hint) for (name, value), hint in zip(row.items(), _hints(cls, row), strict=True)}
    record: Record = cls(**values)
    return record


_HINTS: dict[type, dict[str, Any]] = {}


def _hints(cls: type, row: dict[str, Any]) -> list[Any]:
    if cls not in _HINTS:
        _HINTS[cls] = typing.get_type_hints(cls)
    return [_HINTS[cls][name] for name in row]


def _typed(value: Any, hint: Any) -> Any:
    """`value` from JSON as the field's own type: enumerations and tuples come back as themselves."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        hint = next(arm for arm in typing.get_args(hint) if arm is not type(None))
    if isinstance(hint, type) and issubclass(hint, StrEnum) and value is not None:
        return hint(value)
    if typing.get_origin(hint) is tuple and isinstance(value, list):
        return tuple(value)
    return value
