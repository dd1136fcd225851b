"""The queue for people: what is worth a look, the evidence beside it, and a person's verdict as rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from flows.workshop import Workshop
from warehouse.errors import UserError
from warehouse.records import JsonValue, Outcome, Record, Rollout, Status, StatusChange, Verdict, content_hash
from warehouse.store import Store

CHECK, LINEAGE = "review", "person"
"""The check and the lineage under which a person's verdicts are stored."""
TASK = "task"
"""A review's version when it is about the task itself; otherwise it names the rollout."""
SHORTEST = 4
"""Characters of an id that must be given at least."""


class Word(StrEnum):
    """What a person says of a task (is it right?) or of a rollout (does it answer the task?)."""

    RIGHT = "right"
    WRONG = "wrong"
    UNCLEAR = "unclear"

    @property
    def outcome(self) -> Outcome:
        """The word as a check's outcome."""
        return {Word.RIGHT: Outcome.PASS, Word.WRONG: Outcome.FAIL, Word.UNCLEAR: Outcome.UNDECIDED}[self]


def queue(store: Store, n: int) -> list[Mapping[str, JsonValue]]:
    """The `n` most pressing items that nobody reviewed: {"id", "what", "why", "family", "level", "judgement", ...}.

    Disagreements come first, then the undecided, then what the newest verifier versions judged, then a sample of the
    rest; within each, families take turns.
    """
    rows: list[Mapping[str, JsonValue]] = store.named("review_queue", limit=n).to_pylist()
    return rows


def evidence(store: Store, item: str) -> Mapping[str, JsonValue]:
    """Everything that a person needs to judge a task or a rollout, by its id or the start of it.

    {"what": "task" | "rollout", "id", "task_id", "prompt", "gold", "reference", "tests", "completion", "judgement",
    "verdicts": [{"check", "verifier", "outcome", "reason"}]}. Raises `UserError` unless exactly one fits.
    """
    rollouts = store.read(Rollout, "starts_with(rollout_id, $id)", {"id": item}) if len(item) >= SHORTEST else []
    ids = [row["task_id"] for row in store.rows(
        "SELECT DISTINCT task_id FROM tasks WHERE length($id) >= 4 AND starts_with(task_id, $id)", {"id": item}
    )]  # fmt: skip
    if len(rollouts) + len(ids) != 1:
        raise UserError(
            f"'{item}' matches {len(rollouts)} rollouts and {len(ids)} tasks, must match 1; see: gradatim review --list"
        )
    rollout = rollouts[0] if rollouts else None
    task = store.tasks(task_ids=[rollout.task_id if rollout else str(ids[0])], status=None)[0]
    verdicts = store.read(Verdict, "task_id = $id", {"id": task.task_id})
    found: dict[str, JsonValue] = {
        "what": "rollout" if rollout else TASK,
        "id": rollout.rollout_id if rollout else task.task_id,
        "task_id": task.task_id,
        "family": task.family,
        "level": task.level,
        "prompt": task.prompt,
        "gold": task.gold,
        "reference": task.reference,
        "tests": task.tests,
        "hidden_tests": task.hidden_tests,
    }
    if rollout is not None:
        found |= {"completion": rollout.completion, "judgement": str(rollout.judgement), "reward": rollout.reward}
        found |= {"parts": dict(rollout.parts), "cheats": list(rollout.cheats)}
    found["verdicts"] = [
        {"check": v.check, "verifier": v.verifier, "outcome": str(v.outcome), "reason": v.reason} for v in verdicts
    ]
    return found


def store_review(shop: Workshop, item: Mapping[str, JsonValue], word: Word, *, reviewer: str, note: str) -> str:
    """Keep a person's word on what `evidence` returned; a task found wrong is set aside. Returns the batch.

    The same word of the same person on the same item is kept once; a changed mind is a newer row.
    """
    task_id, about = str(item["task_id"]), TASK if item["what"] == TASK else str(item["id"])
    said: dict[str, JsonValue] = {"judgement": item.get("judgement"), "reward": item.get("reward")}
    rows: list[Record] = [
        Verdict(
            task_id=task_id,
            check=CHECK,
            verifier=reviewer,
            verifier_version=about,
            verifier_lineage=LINEAGE,
            outcome=word.outcome,
            reason=note or (None if word is Word.RIGHT else str(word)),
            evidence={**said, "about": str(item["what"])},
        )
    ]
    if about == TASK and word is Word.WRONG:
        reason = f"a person found it wrong: {note}" if note else "a person found it wrong"
        rows.append(StatusChange(task_id=task_id, status=Status.QUARANTINED, reason=reason))
    batch = content_hash("review", task_id, about, reviewer, str(word), note)
    shop.commit(rows, batch=batch, purpose="review")
    return batch


def agreement(store: Store) -> Sequence[Mapping[str, JsonValue]]:
    """How often people and each judge agree, with 95 % intervals."""
    rows: list[Mapping[str, JsonValue]] = store.named("review_agreement").to_pylist()
    return rows
