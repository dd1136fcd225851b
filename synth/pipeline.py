"""Synthesis: attempts become tasks only by evidence, and every attempt is a row whatever became of it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from synth.ahead import Ahead
from synth.batch import Batch, Decision, batch_of
from synth.bench import SandboxBench
from synth.decontaminate import Benchmark
from synth.evidence import CHECKS, Check, Examined, Subject, examine
from synth.family import FAMILIES
from synth.graders import Judge
from synth.novelty import Novelty, Repeat
from synth.proposals import Generator, Proposal, Request, generator_of, proposals
from warehouse.records import Outcome, Source, Status, Task, Verdict

BATCH = 256
"""Most attempts in one batch."""


@dataclass(frozen=True, slots=True)
class Admission:
    """What attempts are held against: evidence, what was accepted before, and benchmarks that must stay unseen.

    `decided` remembers why each task examined so far was refused (none: it was accepted). `ahead` is evidence that
    workers gathered for the tasks to come.
    """

    campaign_id: str
    judge: Judge
    novelty: Novelty
    benchmark: Benchmark | None = None
    checks: Sequence[Check] | None = None
    decided: dict[str, str | None] = field(default_factory=dict)
    ahead: dict[str, tuple[Examined, float]] = field(default_factory=dict)


def synthesize(
    requests: Sequence[Request],
    *,
    campaign_id: str,
    judge: Judge,
    known: Iterable[Task] = (),
    benchmark: Benchmark | None = None,
    checks: Sequence[Check] | None = None,
    ahead: Callable[[Request], Ahead] | None = None,
) -> Iterator[Batch]:
    """The batches of the requests, at most 256 attempts each, in order; the same input gives the same tasks.

    `known` are tasks accepted before; one of them made again from its own recipe is admitted again, so that a
    campaign that was stopped ends with the same tasks. `ahead` gives the evidence for a request that was gathered
    elsewhere; the result is the same. Raises `UserError` on an unknown family or level, and when
    generator and verifier share a lineage.
    """
    admission = Admission(campaign_id, judge, Novelty(known), benchmark, checks)
    for request in requests:
        if ahead is not None:
            early = ahead(request)
            admission.ahead.clear()
            admission.ahead.update({task: (word, early.cost) for task, word in early.found.items()})
        yield from admit(proposals(request), generator_of(FAMILIES.get(request.family)), admission)


def admit(
    attempts: Iterable[Proposal], generator: Generator, admission: Admission, *, sources: Sequence[Source] = ()
) -> Iterator[Batch]:
    """Batches of one generator's attempts, each examined and compared with what was accepted before.

    `sources` are rows of the corpora that the attempts come from; the first batch carries them.
    """
    stream = iter(attempts)
    while group := [Decision(attempt, attempt.reason) for attempt in islice(stream, BATCH)]:
        _decide(group, generator, admission)
        yield batch_of(group, generator, admission.campaign_id, sources)
        sources = ()


def _decide(group: list[Decision], generator: Generator, admission: Admission) -> None:
    """Fills in what becomes of each attempt: repeats first, evidence for the rest, once for each prompt."""
    first: dict[str, Decision] = {}
    later: list[tuple[Decision, Task]] = []
    for decision in group:
        subject = decision.proposal.subject
        if subject is None:
            continue
        task = subject.task
        if repeat := admission.novelty.seen(task):
            decision.refuse(repeat)
        elif task.task_id in admission.decided or task.prompt in first:
            later.append((decision, task))
        else:
            first[task.prompt] = decision
    _examine(list(first.values()), generator, admission)
    for decision, task in later:
        if repeat := admission.novelty.seen(task):
            decision.refuse(repeat)
        elif task.task_id in admission.decided:
            decision.reason = admission.decided[task.task_id]
        else:
            decision.reason = first[task.prompt].reason
    for decision in group:
        if decision.proposal.subject is not None:
            task_id, repeat = decision.proposal.subject.task.task_id, decision.repeat
            decision.stored = task_id in admission.decided or (repeat is not None and repeat.kept == task_id)


def _examine(fresh: list[Decision], generator: Generator, admission: Admission) -> None:
    """Evidence, then decontamination, then novelty; each attempt bears its share of the CPU time."""
    pairs = [(decision, decision.proposal.subject) for decision in fresh if decision.proposal.subject is not None]
    bench, start = SandboxBench(admission.judge), time.process_time()
    independent = {one.name for one in (CHECKS if admission.checks is None else admission.checks) if one.independent}
    early = {s.task.task_id: admission.ahead.pop(s.task.task_id) for _, s in pairs if s.task.task_id in admission.ahead}
    rest = [subject for _, subject in pairs if subject.task.task_id not in early]
    late = iter(
        examine(rest, bench, checks=admission.checks, generator=generator.name, lineage=generator.lineage)
        if rest
        else ()
    )
    examined = [early[s.task.task_id][0] if s.task.task_id in early else next(late) for _, s in pairs]
    for (decision, _), result in zip(pairs, examined, strict=True):
        decision.reason, decision.status, decision.verdicts = result.reason, result.status, list(result.verdicts)
    if generator.kind == "model":
        _hold_unverified(pairs, independent)
    cost = (time.process_time() - start + bench.cpu_s) / max(1, len(pairs))
    for decision, subject in pairs:
        decision.cost = cost + (early[subject.task.task_id][1] if subject.task.task_id in early else 0.0)
    if admission.benchmark is not None:
        _decontaminate([pair for pair in pairs if pair[0].reason is None], admission.benchmark)
    kept = [pair for pair in pairs if pair[0].reason is None]
    repeats: list[Repeat | None] = admission.novelty.add([subject.task for _, subject in kept])
    for (decision, _), repeat in zip(kept, repeats, strict=True):
        if repeat is not None:
            decision.refuse(repeat)
    for decision, subject in pairs:
        admission.decided[subject.task.task_id] = decision.reason


def _hold_unverified(pairs: list[tuple[Decision, Subject]], independent: set[str]) -> None:
    """Sets aside what a model wrote and nobody of another lineage has confirmed."""
    for decision, _ in pairs:
        confirmed = any(row.check in independent and row.outcome is Outcome.PASS for row in decision.verdicts)
        if decision.reason is None and not confirmed:
            decision.reason, decision.status = "unverified: no model or program of another lineage", Status.QUARANTINED


def _decontaminate(pairs: list[tuple[Decision, Subject]], benchmark: Benchmark) -> None:
    matches = {match.index: match for match in benchmark.find([subject.task.prompt for _, subject in pairs])}
    for i, (decision, subject) in enumerate(pairs):
        match = matches.get(i)
        if match is not None:
            decision.reject(f"contaminated: {match.reason}")
        decision.verdicts.append(
            Verdict(
                task_id=subject.task.task_id,
                check="decontamination",
                verifier="decontamination",
                verifier_version="1",
                verifier_lineage="text",
                outcome=Outcome.PASS if match is None else Outcome.FAIL,
                reason=decision.reason,
                evidence={}
                if match is None
                else {
                    "item": benchmark.name_of(match),
                    "similarity": round(match.similarity, 4),
                    "found_by": match.reason,
                },
            )
        )
