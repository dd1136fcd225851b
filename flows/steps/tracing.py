"""Logged interactions brought in as seeds: masked, grouped by weakness, never trained on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from flows.progress import Progress
from flows.steps.synthesis import funnel
from flows.workshop import Workshop
from synth.batch import Decision, batch_of
from synth.evidence import Subject
from synth.novelty import Repeat
from synth.pipeline import BATCH
from synth.proposals import Generator, Proposal
from synth.tasks import item_of
from synth.traces import MASKING_VERSION, Log, Trace, grouped, read_log, seed_task
from warehouse.records import JsonValue, Source, Status, content_hash

KEPT = "a logged interaction: material to write tasks from, never trained on"
LICENCE = "LicenseRef-own"


def import_traces(
    shop: Workshop, path: Path, *, limit: int | None = None, source: str | None = None
) -> Mapping[str, JsonValue]:
    """Bring a log in; returns its funnel, how traces came out, what was masked and how many failures each group has.

    Masking comes before everything else: no row, reason or log line holds what was masked. The same file again is a
    no-op; a log that has grown adds what is new.
    """
    log, name = read_log(path, limit=limit), source or "traces"
    campaign_id = content_hash("import traces", name, log.sha256, limit, MASKING_VERSION)
    traces = grouped([row for row in log.rows if isinstance(row, Trace)])
    told = _told(log, traces)
    done = f"{campaign_id}:done"
    if shop.seen(done):
        return {**funnel(shop, campaign_id), **told}
    generator = Generator(name, "imported", str(MASKING_VERSION), f"corpus:{name}")
    origin = Source(source=name, revision=log.sha256[:16], licence=LICENCE, n_rows=len(log.rows), sha256=log.sha256)
    decisions = list(_decided(shop, log, traces, name))
    with Progress("import traces", total=len(decisions)) as progress:
        for start in range(0, len(decisions), BATCH):
            batch = batch_of(decisions[start : start + BATCH], generator, campaign_id, [] if start else [origin])
            shop.commit(batch.records, batch=f"{campaign_id}:{start}", purpose="import traces")
            progress.to(start + batch.n_in)
    shop.commit([], batch=done, purpose="import traces done")
    return {**funnel(shop, campaign_id), **told}


def foreseen(path: Path, *, limit: int | None = None) -> Mapping[str, JsonValue]:
    """What an import of a log would keep and mask: {"n_in", "n_readable", "rejected", ...}; nothing is written."""
    log = read_log(path, limit=limit)
    traces = grouped([row for row in log.rows if isinstance(row, Trace)])
    refused = Counter(row for row in log.rows if isinstance(row, str))
    return {"n_in": len(log.rows), "n_readable": len(traces), "rejected": dict(refused), **_told(log, traces)}


def _decided(shop: Workshop, log: Log, traces: Sequence[Trace], source: str) -> Iterator[Decision]:
    """What becomes of each line: kept as a candidate, refused with its reason, or a repeat of one kept before."""
    rows = shop.store.rows("SELECT task_id FROM tasks WHERE source = $source", {"source": source})
    known = {str(row["task_id"]) for row in rows}
    kept = iter(traces)
    for index, row in enumerate(log.rows):
        if isinstance(row, str):
            yield Decision(Proposal(0, index, 0, None, row), row)
            continue
        task = seed_task(next(kept), source=source, index=index)
        decision = Decision(Proposal(0, index, 0, Subject(task, item_of(task))), stored=True)
        if task.task_id in known:
            decision.refuse(Repeat(task.task_id, 1.0, "duplicate: exact"))
        else:
            decision.status, decision.note = Status.CANDIDATE, KEPT
        known.add(task.task_id)
        yield decision


def _told(log: Log, traces: Sequence[Trace]) -> dict[str, JsonValue]:
    masked: Counter[str] = Counter()
    for trace in traces:
        masked.update(trace.masked)
    failed = Counter(trace.group for trace in traces if trace.outcome == "failed")
    told: dict[str, JsonValue] = {
        "outcomes": dict(Counter(trace.outcome for trace in traces)),
        "masked": dict(sorted(masked.items())),
        "failed_by_group": dict(failed.most_common()),
    }
    return told | ({"cut": log.cut} if log.cut else {})
