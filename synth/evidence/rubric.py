"""Rubric tasks: two judges of two lineages, neither the writer's, must tell a good answer from planted bad ones.

Each judge answers every criterion about every answer, and says which of two answers is better in both orders. A judge
that changes its mind with the order is not heard.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from synth.engines import Engine, EngineReferee
from synth.evidence.check import PASSED, Bench, Check, Finding, Subject, failed, refuse_same_lineage, undecided
from synth.graders.ask import asked_yes_no, better
from synth.graders.rubrics import BAR, Bar, answers_of, criteria_of, score_of, weights_of
from warehouse.records import Domain, JsonValue, Outcome, Task, content_hash

QUESTION = "Which answer does the task better?"


class Seen(NamedTuple):
    """What two judges said: for each judge and answer (the good one first) each criterion; who preferred the good."""

    words: tuple[tuple[tuple[bool | None, ...], ...], ...]
    preferred: tuple[bool | None, ...]


def rubric_check(one: Engine, other: Engine, *, writer: Engine, bar: Bar = BAR, version: int = 1) -> Check:
    """The check `rubric` by two engines; raises `UserError` where two of the three share a lineage."""
    refuse_same_lineage(writer.name, writer.lineage, one.name, one.lineage)
    refuse_same_lineage(writer.name, writer.lineage, other.name, other.lineage)
    refuse_same_lineage(one.name, one.lineage, other.name, other.lineage)

    def examine(subjects: Sequence[Subject], bench: Bench) -> list[Finding]:
        tasks = [subject.task for subject in subjects]
        by_judge = [_judged(EngineReferee(engine), tasks) for engine in (one, other)]
        findings = []
        for i, task in enumerate(tasks):
            seen = Seen(tuple(words[i] for words, _ in by_judge), tuple(preferred[i] for _, preferred in by_judge))
            findings.append(weigh_rubric(seen, weights_of(task), bar))
        return findings

    terms = content_hash("rubric", other.name, other.version, list(bar))[:8]
    return Check(
        name="rubric",
        version=version,
        lineage=one.lineage,
        order=80,
        examine=examine,
        applies=lambda subject: subject.task.domain is Domain.RUBRIC,
        independent=True,
        by=(f"{one.name} and {other.name}", f"{one.version}.{terms}"),
    )


def weigh_rubric(seen: Seen, weights: Sequence[float], bar: Bar = BAR) -> Finding:
    """What the judges' words say of a rubric.

    >>> yes, no = (True, True), (False, False)
    >>> weigh_rubric(Seen(((yes, no), (yes, no)), (True, True)), [1, 2]).outcome.value
    'pass'
    >>> weigh_rubric(Seen(((yes, yes), (yes, yes)), (True, True)), [1, 2]).reason
    'rubric: a bad answer meets it'
    """
    flat = [[word for answer in judge for word in answer] for judge in seen.words]
    heard = [(a, b) for a, b in zip(*flat, strict=True) if a is not None and b is not None]
    agreement = sum(a == b for a, b in heard) / len(flat[0]) if flat[0] else 0.0
    scores = [[score_of(answer, weights) for answer in judge] for judge in seen.words]
    shown: dict[str, JsonValue] = {
        "agreement": round(agreement, 4),
        "scores": [[None if score is None else round(score, 4) for score in judge] for judge in scores],
        "preferred": list(seen.preferred),
    }
    if len(heard) < len(flat[0]) or None in seen.preferred:
        return undecided("rubric: a judge gave no clear answer", **shown)
    if agreement < bar.agreement:
        return undecided("rubric: the judges disagree", **shown)
    if any((judge[0] or 0.0) < bar.good for judge in scores):
        return failed("rubric: the good answer misses it", **shown)
    if any((score or 0.0) > bar.bad for judge in scores for score in judge[1:]):
        return failed("rubric: a bad answer meets it", **shown)
    if not all(seen.preferred):
        return failed("rubric: a bad answer is preferred", **shown)
    return PASSED._replace(outcome=Outcome.PASS, evidence=shown)


def _judged(
    referee: EngineReferee, tasks: Sequence[Task]
) -> tuple[list[tuple[tuple[bool | None, ...], ...]], list[bool | None]]:
    """For each task the words on each answer, and whether the good one is preferred to the first bad one."""
    words = []
    for task in tasks:
        answers = answers_of(task)
        by_criterion = [
            asked_yes_no(referee, str(one["text"]), [(task, answer) for answer in answers]) for one in criteria_of(task)
        ]
        words.append(tuple(zip(*by_criterion, strict=True)))
    pairs = [(task, answers_of(task)[0], answers_of(task)[1]) for task in tasks]
    forward = better(referee, QUESTION, pairs)
    backward = better(referee, QUESTION, [(task, bad, good) for task, good, bad in pairs])
    return words, [_preferred(a, b) for a, b in zip(forward, backward, strict=True)]


def _preferred(forward: str | None, backward: str | None) -> bool | None:
    """Whether the good answer won in both orders; none where the order decided."""
    if (forward, backward) == ("first", "second"):
        return True
    return False if (forward, backward) == ("second", "first") else None
