"""Tasks into a folder: the files, a dataset card and a manifest; private parts only when asked for by name."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections import Counter
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import pyarrow as pa
import pyarrow.parquet as pq
from blake3 import blake3

from warehouse.errors import UserError, unknown_name
from warehouse.exports.card import card
from warehouse.exports.layouts import layout
from warehouse.exports.manifest import NAME, Manifest
from warehouse.exports.origin import origins
from warehouse.failures import copying
from warehouse.records import Split, Status, Task
from warehouse.store import Store

PRIVATE = ("hidden_tests", "heldout", "canary")
"""What leaves the warehouse only when asked for by name: what judges, and the two splits that are for evaluation."""
FORMATS = ("jsonl", "parquet", "datasets")


class Export(NamedTuple):
    """What was written: the folder, tasks by split, the sources among them and the snapshot they were read from.

    `left_out` counts the tasks that lack a private part which was not asked for, by its name.
    """

    path: Path
    n_tasks: dict[str, int]
    sources: tuple[str, ...]
    snapshot_id: int
    left_out: dict[str, int]


def export(
    store: Store,
    to: Path | str,
    *,
    layout_name: str = "gradatim",
    format_name: str = "jsonl",
    family: str | None = None,
    status: Status | str | None = Status.ACCEPTED,
    private: Collection[str] = (),
    dry_run: bool = False,
) -> Export:
    """Write current tasks to the new folder `to`, one file a split, whole or not at all.

    `private` may name `hidden_tests`, `heldout` and `canary`: without them hidden tests are left out, and so are the
    held-out and the canary split, which nothing may train on. Formats: `jsonl`, `parquet`, and `datasets` (Parquet that
    `datasets.load_dataset` reads by folder).
    With `dry_run` nothing is written.
    Raises `UserError` for an unknown layout, format or private part, or a folder that is not empty.
    """
    for word in private:
        if word not in PRIVATE:
            raise unknown_name("private part", word, PRIVATE, "gradatim export --help")
    if format_name not in FORMATS:
        raise unknown_name("format", format_name, FORMATS, "gradatim export --help")
    shape, folder = layout(layout_name), Path(to).expanduser().absolute()
    if folder.exists() and any(folder.iterdir()):
        raise UserError(f"{folder} is not empty; export into a new folder")
    snapshot = store.snapshot()
    found = store.tasks(family=family, status=status)
    tasks = [_shown(t, private) for t in found if _leaves(t, private)]
    if not tasks:
        raise UserError("no task fits; see: gradatim sql --named tasks_by_status")
    by_split: dict[str, list[Task]] = {}
    for task in tasks:
        by_split.setdefault(str(task.split), []).append(task)
    sources = tuple(sorted({t.source for t in tasks}))
    told = Export(
        folder, {split: len(chosen) for split, chosen in by_split.items()}, sources, snapshot, _left_out(found, private)
    )
    if dry_run:
        return told
    partial = folder.with_name(f".{folder.name}.{uuid4().hex[:8]}.partial")
    with copying(folder, "exporting"):
        try:
            sums, made_by = {}, origins(store)
            for split, chosen in by_split.items():
                rows = (shape(t, o.text() if (o := made_by.get(t.task_id)) else None) for t in chosen)
                path = _write(partial, split, format_name, rows)
                sums[str(path.relative_to(partial))] = blake3(path.read_bytes()).hexdigest()
            manifest = Manifest(
                layout=layout_name,
                format=format_name,
                snapshot_id=snapshot,
                private=sorted(private),
                sources=dict(Counter(t.source for t in tasks)),
                n_tasks=told.n_tasks,
                files=sums,
                licences=_licences(store, sources),
            )
            (partial / NAME).write_text(manifest.text(), "utf-8")
            (partial / "README.md").write_text(card(folder.name, manifest, tasks, status=status), "utf-8")
            folder.parent.mkdir(parents=True, exist_ok=True)
            if folder.exists():
                folder.rmdir()
            partial.replace(folder)
        except BaseException:
            shutil.rmtree(partial, ignore_errors=True)
            raise
    _register(store, folder, sources)
    return told


def _licences(store: Store, sources: Collection[str]) -> dict[str, str]:
    """The licence of each source that came from elsewhere."""
    rows = store.rows("SELECT source, licence FROM sources ORDER BY rowid")
    return {row["source"]: row["licence"] for row in rows if row["source"] in sources}


def _leaves(task: Task, private: Collection[str]) -> bool:
    return task.split == Split.TRAIN or str(task.split) in private


def _left_out(tasks: Iterable[Task], private: Collection[str]) -> dict[str, int]:
    """Tasks of each split that stays, and of those that leave the ones without their hidden tests."""
    parts = [str(t.split) if not _leaves(t, private) else "hidden_tests" for t in tasks
             if not _leaves(t, private) or (t.hidden_tests is not None and "hidden_tests" not in private)]  # fmt: skip
    return dict(Counter(parts))


def _shown(task: Task, private: Collection[str]) -> Task:
    return task if "hidden_tests" in private else dataclasses.replace(task, hidden_tests=None)


def _write(folder: Path, split: str, format_name: str, rows: Iterable[dict[str, Any]]) -> Path:
    if format_name == "jsonl":
        path = folder / f"{split}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8") as file:
            file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        return path
    path = folder / (f"{split}.parquet" if format_name == "parquet" else f"data/{split}-00000-of-00001.parquet")
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(list(rows)), path)
    return path


def _register(store: Store, folder: Path, sources: tuple[str, ...]) -> None:
    """Remember where exports lie, so that a takedown finds them."""
    store.home.exports.mkdir(parents=True, exist_ok=True)
    with store.home.lock(), (store.home.exports / "index.jsonl").open("a", encoding="utf-8") as index:
        index.write(json.dumps({"path": str(folder), "sources": sources}) + "\n")
