"""Real corpora brought in as tasks, with their licence, revision and every verdict."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

from flows.progress import Progress
from flows.settings import Settings
from flows.steps.synthesis import funnel
from flows.workshop import Workshop, open_store
from synth import importers
from synth.importers import Corpus
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from warehouse.errors import UserError
from warehouse.records import JsonValue, Task, content_hash


def import_source(
    shop: Workshop, name: str, path: Path | None, *, limit: int | None = None, source: str | None = None
) -> Mapping[str, JsonValue]:
    """Bring a corpus in from a file, or from the hub without one; returns its funnel and the keys that it did not read.

    The same file again is a no-op. A damaged row ends it with `UserError` when what came before is committed.
    """
    corpus = importers.get(name).read(path, source=source, limit=limit)
    campaign_id = _campaign(name, corpus, limit)
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
    if corpus.error is not None:
        raise UserError(f"{corpus.error}; rows before it that are in the warehouse: {n_done}")
    shop.commit([], batch=done, purpose=f"import {name} done")
    return {**funnel(shop, campaign_id), "repeated_rows": corpus.n_repeated, **unknown}


def foreseen(
    settings: Settings, name: str, path: Path | None, *, limit: int | None = None, source: str | None = None
) -> Mapping[str, JsonValue]:
    """What an import would bring to its checks; nothing is judged and nothing written.

    {"source", "licence", "n_in", "n_readable", "rejected", "repeated_rows", "imported_before"} and the keys not read.
    `rejected` are rows of which no task can be made; the others still have to stand their checks.
    """
    corpus = importers.get(name).read(path, source=source, limit=limit)
    if corpus.error is not None:
        raise corpus.error
    rows = list(corpus.rows)
    reasons = Counter(row.reason for row in rows if row.subject is None)
    before = False
    if settings.place.exists:
        with open_store(settings, read_only=True) as store:
            done = {"batch": f"{_campaign(name, corpus, limit)}:done"}
            before = bool(store.rows("SELECT 1 AS seen FROM batches WHERE batch = $batch", done))
    return {
        "source": corpus.name,
        "licence": corpus.source.licence,
        "n_in": len(rows),
        "n_readable": len(rows) - reasons.total(),
        "rejected": {str(reason): n for reason, n in reasons.items()},
        "repeated_rows": corpus.n_repeated,
        "imported_before": before,
        **({"unknown_keys": dict(corpus.unknown_keys)} if corpus.unknown_keys else {}),
    }


def _campaign(name: str, corpus: Corpus, limit: int | None) -> str:
    return content_hash("import", name, corpus.name, corpus.source.sha256, limit)
