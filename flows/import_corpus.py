"""Real corpora: read, parsed, examined, committed."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flows.orchestration import step, verb_flow
from flows.settings import Settings
from flows.steps import importing
from flows.workshop import workshop
from warehouse.records import JsonValue

import_source = step("import")(importing.import_source)


@verb_flow("import_corpus")
def import_corpus(
    home: Path, name: str, path: Path | None = None, source: str | None = None, limit: int | None = None
) -> Mapping[str, JsonValue]:
    """Bring a corpus in; returns {"n_in", "n_out", "rejected", "repeated_rows"}."""
    asked: dict[str, JsonValue] = {"name": name, "file": path.name if path else None, "source": source, "limit": limit}
    with workshop(Settings(home=home), flow="import_corpus", config=asked) as shop:
        return import_source(shop, name, path, source=source, limit=limit)
