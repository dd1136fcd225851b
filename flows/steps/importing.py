"""Real corpora brought in as tasks, with their licence, revision and every verdict."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from flows.progress import Progress
from flows.steps.synthesis import funnel
from flows.workshop import Workshop
from synth import importers
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from warehouse.records import JsonValue, Task, content_hash


def import_source(
    shop: Workshop, name: str, path: Path | None, *, limit: int | None = None, source: str | None = None
) -> Mapping[str, JsonValue]:
    """Bring a corpus in from a file, or from the hub without one; returns its funnel and the keys that it did not read.

    The same file again is a no-op. Batches committed before a damaged row stay.
    """
    corpus = importers.get(name).read(path, source=source, limit=limit)
    campaign_id = content_hash("import", name, corpus.name, corpus.source.sha256, limit)
    done = f"{campaign_id}:done"
    unknown: dict[str, JsonValue] = {"unknown_keys": dict(corpus.unknown_keys)} if corpus.unknown_keys else {}
    if shop.seen(done):
        return {**funnel(shop, campaign_id), "repeated_rows": corpus.n_repeated, **unknown}
    known = shop.store.read(Task, "source = $source AND status = 'accepted'", {"source": corpus.name})
    admission = Admission(campaign_id, shop.judge, Novelty(known, near=True, semantic=shop.embedder))
    with Progress(f"import {name}", total=corpus.source.n_rows) as progress:
        n_done = 0
        for batch in admit(corpus.rows, corpus.generator, admission, sources=(corpus.source,)):
            shop.commit(batch.records, batch=batch.key, purpose=f"import {name}")
            n_done += batch.n_in
            progress.to(n_done)
    shop.commit([], batch=done, purpose=f"import {name} done")
    return {**funnel(shop, campaign_id), "repeated_rows": corpus.n_repeated, **unknown}
