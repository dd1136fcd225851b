"""Variants of word problems: question and computation get the same new numbers, and the answer is recomputed."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import pairwise

from synth.annotations import Step
from synth.evidence import Subject
from synth.family import Item
from synth.grown.question_numbers import written
from synth.grown.word_problem import NoPlan, Plan, plain_text, plan_of
from synth.proposals import Generator, Proposal
from synth.seeds import stream
from synth.tasks import task_of
from warehouse.records import Domain, Task

VERSION = 1
GENERATOR = Generator("gsm8k_variants", "corpus_grown", str(VERSION), "corpus:gsm8k")
TRIES = 40
CHANGED_SHARE = 0.8
"""How likely each number of a question is to change."""


def variants(parents: Iterable[Task], *, n: int, seed: int) -> Iterator[Proposal]:
    """`n` attempts at a variant of each word problem; one attempt for a problem whose computation cannot be followed.

    A variant is consistent (the same plan computes it), its results are positive, whole where the original's were,
    and its numbers keep the order that the original's have. It stays in its parent's split.
    """
    for place, parent in enumerate(parents):
        try:
            plan = plan_of(parent.prompt, parent.reference or "", parent.gold or "")
        except NoPlan as reason:
            yield Proposal(seed, place * n, parent.level, None, f"variant: {reason}")
            continue
        seen = {parent.prompt}
        for k in range(n):
            index = place * n + k
            made = _variant(plan, stream("gsm8k_variants", VERSION, parent.task_id, seed, k), seen)
            if made is None:
                yield Proposal(seed, index, parent.level, None, "variant: no new numbers keep every step sound")
                continue
            question, steps = made
            seen.add(question)
            yield Proposal(seed, index, parent.level, _subject(parent, question, steps, seed, index))


def _subject(parent: Task, question: str, steps: list[Step], seed: int, index: int) -> Subject:
    gold = plain_text(steps[-1].value) or ""
    lines = []
    for step in steps:
        value = plain_text(step.value)
        lines.append(f"{step.expression} = <<{step.expression}={value}>>{value}")
    item = Item(
        prompt=question,
        answer_kind="integer" if steps[-1].value.denominator == 1 else "rational",
        reference="\n".join([*lines, f"#### {gold}"]),
        gold=gold,
        params={"answer_format": "gsm8k"},
    )
    task = task_of(
        item,
        domain=Domain.MATH,
        family=GENERATOR.name,
        level=parent.level,
        params={"version": VERSION, "seed": seed, "index": index, **item.params},
        source=parent.source,
        parents=(parent.task_id,),
        split=parent.split,
    )
    return Subject(task, item)


def _variant(plan: Plan, rng: random.Random, seen: set[str]) -> tuple[str, list[Step]] | None:
    for _ in range(TRIES):
        changed = {value: _other(value, rng) for value in plan.free if rng.random() < CHANGED_SHARE}
        if not changed or not _ordered(plan, changed):
            continue
        steps = plan.run(changed)
        if steps is not None and _sound(plan, steps) and (question := _rewritten(plan, changed)) not in seen:
            return question, steps
    return None


def _other(value: Fraction, rng: random.Random) -> Fraction:
    """Another value about as large and as round: between half and 1.8 times."""
    unit = next(
        (u for u in (Fraction(1000), Fraction(100), Fraction(50), Fraction(10), Fraction(5)) if _is_round(value, u)),
        None,
    )
    if unit is None:
        unit = Fraction(1) if value.denominator == 1 else Fraction(1, value.denominator)
    steps = value / unit
    low, high = max(1, round(steps * Fraction(1, 2))), max(3, round(steps * Fraction(9, 5)))
    new = unit * rng.randint(low, high)
    return max(new, Fraction(2)) if value >= 2 else new


def _is_round(value: Fraction, unit: Fraction) -> bool:
    return value >= 2 * unit and (value / unit).denominator == 1


def _ordered(plan: Plan, changed: dict[Fraction, Fraction]) -> bool:
    """Whether the numbers of the question keep their order and percentages stay within 100 where they were."""
    values = sorted({token.value for token in plan.numbers})
    new = [changed.get(value, value) for value in values]
    if any(a >= b for a, b in pairwise(new)):
        return False
    percents = [token.value for token in plan.numbers if token.percent]
    within = sum(percents) <= 100
    return not within or sum(changed.get(value, value) for value in percents) <= 100


def _sound(plan: Plan, steps: list[Step]) -> bool:
    for old, new in zip(plan.steps, steps, strict=True):
        if new.value <= 0 < old.value or (old.value.denominator == 1 and new.value.denominator != 1):
            return False
    return True


def _rewritten(plan: Plan, changed: dict[Fraction, Fraction]) -> str:
    text = plan.question
    for token in reversed(plan.numbers):
        if token.free and token.value in changed:
            text = text[: token.start] + written(changed[token.value], token) + text[token.end :]
    return text
