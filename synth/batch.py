"""The rows of one group of attempts, and the decision on each that they say."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain

from synth.evidence import Subject
from synth.novelty import Repeat
from synth.proposals import Generator, Proposal
from warehouse.records import (
    Attempt,
    AttemptOutcome,
    Record,
    Source,
    Status,
    StatusChange,
    Task,
    Verdict,
    content_hash,
)


@dataclass(slots=True)
class Decision:
    """What becomes of one attempt: `reason` is none when it is admitted, `status` when its task was seen before.

    `stored` says that its task is a row, here or from before; a task that only repeats another's prompt is not. `note`
    is what its status says where nothing was rejected.
    """

    proposal: Proposal
    reason: str | None = None
    repeat: Repeat | None = None
    status: Status | None = None
    stored: bool = False
    cost: float = 0.0
    note: str = "all evidence passed"
    verdicts: list[Verdict] = field(default_factory=list)

    def refuse(self, repeat: Repeat) -> None:
        """Rejects the attempt as a repeat of an accepted task."""
        self.reject(repeat.reason)
        self.repeat = repeat

    def reject(self, reason: str) -> None:
        """Rejects the attempt; a task that was examined is rejected with it."""
        self.reason = reason
        if self.status is not None:
            self.status = Status.REJECTED


@dataclass(frozen=True, slots=True)
class Batch:
    """The rows of one group of attempts; `key` identifies it, so that committing it twice is one commit.

    n_in = n_out + the sum of `rejected`, because each attempt is one row.
    """

    key: str
    attempts: tuple[Attempt, ...]
    tasks: tuple[Task, ...]
    verdicts: tuple[Verdict, ...]
    statuses: tuple[StatusChange, ...]
    sources: tuple[Source, ...] = ()

    @property
    def records(self) -> Iterator[Record]:
        """Every row, in an order in which each refers to earlier ones."""
        return chain(self.sources, self.tasks, self.attempts, self.verdicts, self.statuses)

    @property
    def n_in(self) -> int:
        """Attempts made."""
        return len(self.attempts)

    @property
    def n_out(self) -> int:
        """Attempts admitted."""
        return sum(attempt.outcome is AttemptOutcome.ADMITTED for attempt in self.attempts)

    @property
    def rejected(self) -> dict[str, int]:
        """Rejected attempts by reason."""
        return dict(Counter(attempt.reason for attempt in self.attempts if attempt.reason is not None))

    @property
    def accepted(self) -> tuple[Task, ...]:
        """The tasks admitted here."""
        ids = {change.task_id for change in self.statuses if change.status is Status.ACCEPTED}
        return tuple(task for task in self.tasks if task.task_id in ids)


def batch_of(
    decisions: Sequence[Decision], generator: Generator, campaign_id: str, sources: Sequence[Source] = ()
) -> Batch:
    """The decisions as rows: one attempt each; task, verdicts and status for each task examined here."""
    attempts = tuple(_attempt(decision, generator, campaign_id) for decision in decisions)
    new = [(decision, subject.task) for decision in decisions if (subject := _examined(decision)) is not None]
    statuses = tuple(
        StatusChange(
            task_id=task.task_id,
            status=decision.status or Status.CANDIDATE,
            reason=decision.reason or decision.note,
        )
        for decision, task in new
    )
    verdicts = tuple(verdict for decision, _ in new for verdict in decision.verdicts)
    key = content_hash("synthesis", [attempt.attempt_id for attempt in attempts])
    return Batch(key, attempts, tuple(task for _, task in new), verdicts, statuses, tuple(sources))


def _examined(decision: Decision) -> Subject | None:
    return decision.proposal.subject if decision.status is not None else None


def _attempt(decision: Decision, generator: Generator, campaign_id: str) -> Attempt:
    attempt, repeat = decision.proposal, decision.repeat
    identity = (generator.name, generator.version, attempt.level, attempt.seed, attempt.index)
    return Attempt(
        attempt_id=content_hash(campaign_id, *identity),
        campaign_id=campaign_id,
        generator=generator.name,
        generator_kind=generator.kind,
        generator_version=generator.version,
        generator_lineage=generator.lineage,
        prompt_hash=attempt.prompt_hash,
        seed=attempt.seed,
        index=attempt.index,
        task_id=attempt.subject.task.task_id if attempt.subject and decision.stored else None,
        outcome=AttemptOutcome.ADMITTED if decision.reason is None else AttemptOutcome.REJECTED,
        reason=decision.reason,
        kept_task_id=repeat.kept if repeat else None,
        similarity=repeat.similarity if repeat else None,
        n_tokens=attempt.n_tokens,
        cost=round(attempt.cost if generator.kind == "model" else decision.cost, 6),
    )
