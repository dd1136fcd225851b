"""Real corpora: read, parsed, examined, committed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flows.orchestration import step, verb_flow
from flows.settings import Settings
from flows.steps import exported, importing, tracing
from flows.workshop import workshop
from warehouse.records import JsonValue

import_source = step("import")(importing.import_source)
read_traces = step("import traces")(tracing.import_traces)
read_export = step("import export")(exported.import_export)


@verb_flow("import_corpus")
def import_corpus(
    home: Path, name: str, path: Path | None = None, source: str | None = None, limit: int | None = None
) -> Mapping[str, JsonValue]:
    """Bring a corpus in; returns {"n_in", "n_out", "rejected", "repeated_rows"}."""
    asked: dict[str, JsonValue] = {"name": name, "file": path.name if path else None, "source": source, "limit": limit}
    with workshop(Settings(home=home), flow="import_corpus", config=asked) as shop:
        return import_source(shop, name, path, source=source, limit=limit)


@verb_flow("import_traces")
def import_traces(
    home: Path, path: Path, source: str | None = None, limit: int | None = None
) -> Mapping[str, JsonValue]:
    """Bring a log of interactions in, masked; its funnel with {"outcomes", "masked", "failed_by_group"}."""
    asked: dict[str, JsonValue] = {"name": "traces", "file": path.name, "source": source, "limit": limit}
    with workshop(Settings(home=home), flow="import_traces", config=asked) as shop:
        return read_traces(shop, path, source=source, limit=limit)


@verb_flow("import_export")
def import_export(home: Path, folder: Path, limit: int | None = None) -> Mapping[str, JsonValue]:
    """Bring an export of ours in; returns {"n_in", "n_out", "rejected", "sources"}."""
    asked: dict[str, JsonValue] = {"name": "export", "folder": folder.name, "limit": limit}
    with workshop(Settings(home=home), flow="import_export", config=asked) as shop:
        return read_export(shop, folder, limit=limit)
