"""An export of ours brought back in: nothing of it is trusted, each task has to stand the evidence again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from flows.progress import Progress
from flows.settings import Settings
from flows.steps.auditing import agent_evidence
from flows.steps.synthesis import funnel
from flows.workshop import Workshop, open_store
from synth.importers.exported import maker_of, proposal_of
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from synth.proposals import Generator, Proposal
from synth.tasks import OWN_SOURCE
from warehouse.exports import Package, unpack
from warehouse.records import Domain, JsonValue, Source, Status, content_hash
from warehouse.store import Store


class Lot(NamedTuple):
    """Attempts of one generator that are held against the same evidence; `agents` names their family of agent tasks."""

    generator: Generator
    source: str
    agents: str
    attempts: list[Proposal]


def import_export(shop: Workshop, folder: Path, *, limit: int | None = None) -> Mapping[str, JsonValue]:
    """Bring the tasks of an exported folder in; returns {"n_in", "n_out", "rejected", "sources"}.

    Ids, golds, splits, parents and generators are the exported ones, private parts where they were exported. The same
    export again is a no-op. A task that stands here already is a repeat, whatever its status. Raises as
    `warehouse.exports.unpack` does.
    """
    package = unpack(folder)
    campaign_id, done = _names(package, limit)
    told: dict[str, JsonValue] = {"sources": dict(package.manifest.sources)}
    if shop.seen(done):
        return {**funnel(shop, campaign_id), **told}
    lots, origins = lots_of(package, _set_aside(shop.store), limit), list(sources_of(package))
    known = _Known(shop)
    with Progress("import export", total=sum(len(lot.attempts) for lot in lots)) as progress:
        n_done = 0
        for lot in lots:
            checks = agent_evidence(shop)(lot.agents) if lot.agents else None
            admission = Admission(campaign_id, shop.judge, known.novelty(lot), checks=checks)
            for batch in admit(lot.attempts, lot.generator, admission, sources=origins):
                shop.commit(batch.records, batch=f"{campaign_id}:{batch.key}", purpose="import export")
                n_done, origins = n_done + batch.n_in, []
                progress.to(n_done)
    shop.commit([], batch=done, purpose="import export done")
    return {**funnel(shop, campaign_id), **told}


def foreseen(settings: Settings, folder: Path, *, limit: int | None = None) -> Mapping[str, JsonValue]:
    """What an import would bring to its checks, as `importing.foreseen` says it; nothing is judged or written."""
    package = unpack(folder)
    aside: Mapping[str, Status] = {}
    before = False
    if settings.place.exists:
        with open_store(settings, read_only=True) as store:
            aside = _set_aside(store)
            batch = {"batch": _names(package, limit)[1]}
            before = bool(store.rows("SELECT 1 AS seen FROM batches WHERE batch = $batch", batch))
    attempts = [one for lot in lots_of(package, aside, limit) for one in lot.attempts]
    reasons = Counter(one.reason for one in attempts if one.subject is None)
    return {
        "sources": dict(package.manifest.sources),
        "n_in": len(attempts),
        "n_readable": len(attempts) - reasons.total(),
        "rejected": {str(reason): n for reason, n in reasons.items()},
        "imported_before": before,
    }


def lots_of(package: Package, aside: Mapping[str, Status], limit: int | None = None) -> list[Lot]:
    """The exported tasks by who made them and what admits them, in an order that is always the same.

    A task of `aside` stands in the warehouse without being accepted, and stays as it is.
    """
    lots: dict[tuple[Generator, str, str], Lot] = {}
    for index, task in enumerate(package.tasks[:limit]):
        attempt = proposal_of(task, index, hidden_tests="hidden_tests" in package.manifest.private)
        origin = package.origins.get(task.task_id)
        maker = maker_of(attempt.subject, task, Generator(*origin) if origin else None)
        if stands := aside.get(task.task_id):
            attempt = Proposal(0, index, task.level, None, f"duplicate: it stands here as {stands}")
        agents = task.family if task.domain is Domain.AGENT else ""
        key = (maker, task.source, agents)
        lots.setdefault(key, Lot(*key, [])).attempts.append(attempt)
    return sorted(lots.values(), key=lambda lot: (lot.generator.name, lot.generator.version, lot.source, lot.agents))


def sources_of(package: Package) -> Iterator[Source]:
    """A row for each corpus that the exported tasks come from, at the export as its revision."""
    manifest = package.manifest
    for name, n in manifest.sources.items():
        if name != OWN_SOURCE:
            licence = manifest.licences.get(name, "unknown")
            digest = manifest.sha256
            yield Source(source=name, revision=digest[:16], licence=licence, n_rows=n, sha256=digest)


class _Known:
    """What is accepted here, as the house compares such tasks where they are made.

    Templates of our own letter by letter, others by wording and meaning within their source. A task that is accepted
    here is a repeat of itself.
    """

    def __init__(self, shop: Workshop) -> None:
        self._accepted = [replace(task, params={}) for task in shop.store.tasks()]
        self._embedder = shop.embedder
        self._found: dict[str | None, Novelty] = {}

    def novelty(self, lot: Lot) -> Novelty:
        """What the attempts of a lot are compared with."""
        if lot.agents or lot.generator.kind == "procedural":
            return self._of(None, lambda: Novelty(self._accepted))
        own = [task for task in self._accepted if task.source == lot.source]
        return self._of(lot.source, lambda: Novelty(own, near=True, semantic=self._embedder))

    def _of(self, source: str | None, made: Callable[[], Novelty]) -> Novelty:
        if source not in self._found:
            self._found[source] = made()
        return self._found[source]


def _set_aside(store: Store) -> Mapping[str, Status]:
    rows = store.rows("SELECT task_id, status FROM current_tasks WHERE status <> 'accepted'")
    return {row["task_id"]: Status(row["status"]) for row in rows}


def _names(package: Package, limit: int | None) -> tuple[str, str]:
    """The identity of the import, and the batch that says it is done."""
    campaign_id = content_hash("import export", package.manifest.sha256, limit)
    return campaign_id, f"{campaign_id}:done"
