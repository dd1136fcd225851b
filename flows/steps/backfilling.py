"""Stored tasks judged later by one evidence check, in batches; a finished batch costs nothing the second time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from flows.progress import Progress
from flows.steps.durations import duration
from flows.workshop import Workshop
from synth.audit import signature
from synth.audit.backfill import Backfilled, backfill, unjudged
from synth.bench import SandboxBench
from synth.evidence import CHECKS, Check, Subject
from warehouse.errors import UserError
from warehouse.records import JsonValue, Outcome, content_hash

BATCH = 32
"""Tasks in one batch."""
DECIDED = """
SELECT task_id, verifier, verifier_version, max_by(outcome, rowid) AS outcome
FROM verdicts
WHERE "check" = $check
GROUP BY task_id, verifier, verifier_version
"""


def moment(text: str, *, now: datetime) -> datetime:
    """A point in time, UTC unless it says otherwise: an ISO date or time, or an age as `30d`.

    >>> moment("2026-11-01", now=datetime(2026, 12, 1, tzinfo=UTC)).isoformat()
    '2026-11-01T00:00:00+00:00'

    Raises `UserError` for anything else.
    """
    try:
        found = datetime.fromisoformat(text.strip())
    except ValueError:
        try:
            return now - duration(text)
        except UserError as error:
            raise UserError(
                f"time '{text}' is neither a date, as 2026-11-01 or 2026-11-01T12:00, nor an age, as 30d; "
                "see: gradatim warehouse backfill --help"
            ) from error
    return found if found.tzinfo else found.replace(tzinfo=UTC)


def waiting(shop: Workshop, check: Check, since: datetime) -> list[Subject]:
    """Accepted tasks written at `since` or later that the check applies to and has not decided as it is now."""
    rows = shop.store.rows("SELECT DISTINCT task_id FROM tasks WHERE written_at >= $since", {"since": since})
    tasks = shop.store.tasks(task_ids=[row["task_id"] for row in rows])
    decided = {
        (row["task_id"], signature(row["verifier"], row["verifier_version"]))
        for row in shop.store.rows(DECIDED, {"check": check.name})
        if row["outcome"] != Outcome.UNDECIDED
    }
    return unjudged(tasks, check, decided)


def planned(shop: Workshop, name: str, since: datetime) -> Mapping[str, JsonValue]:
    """What `backfilled` would judge: {"check", "version", "n_tasks", "families"}. Nothing is judged or written."""
    check = CHECKS.get(name)
    subjects = waiting(shop, check, since)
    families = Counter(subject.task.family for subject in subjects)
    return {"check": name, "version": check.version, "n_tasks": len(subjects), "families": dict(families)}


def backfilled(shop: Workshop, name: str, since: datetime) -> Mapping[str, JsonValue]:
    """Judge accepted tasks written since then by the check `name`; one that fails is quarantined.

    Returns {"check", "version", "n_tasks", "passed", "quarantined", "undecided"}. Tasks that the check has decided at
    this version are left out, so that what was interrupted goes on where it stopped and a second run does nothing.
    Raises `UserError` for an unknown check.
    """
    check = CHECKS.get(name)
    subjects, counts = waiting(shop, check, since), Counter[Outcome]()
    bench = SandboxBench(shop.judge)
    with Progress(f"backfill {name}", total=len(subjects)) as progress:
        for start in range(0, len(subjects), BATCH):
            found = backfill(subjects[start : start + BATCH], check, bench)
            _commit(shop, found)
            counts.update(one.verdict.outcome for one in found)
            progress.to(start + len(found), note=f"quarantined {counts[Outcome.FAIL]}")
    return {
        "check": name,
        "version": check.version,
        "n_tasks": len(subjects),
        "passed": counts[Outcome.PASS],
        "quarantined": counts[Outcome.FAIL],
        "undecided": counts[Outcome.UNDECIDED],
    }


def _commit(shop: Workshop, found: Sequence[Backfilled]) -> None:
    """One batch, named after what was said: the same said again is no new row."""
    verdicts = [one.verdict for one in found]
    changes = [one.status for one in found if one.status is not None]
    said: list[JsonValue] = [[v.task_id, v.check, v.verifier, v.verifier_version, v.outcome] for v in verdicts]
    shop.commit([*verdicts, *changes], batch=content_hash("backfill", said), purpose=f"backfill {verdicts[0].check}")
