"""A word problem's computation as a plan: which operand is a number of the question, which an earlier result."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from synth.annotations import NUMBER, Step, evaluate, number, steps_of
from synth.grown.question_numbers import Token, said_in_words, tokens


class NoPlan(Exception):
    """The computation cannot be tied to the question; the message says why."""


@dataclass(frozen=True, slots=True)
class Operand:
    """One number of an expression: a value of the question (divided by `scale`), a step's result, or a constant."""

    start: int
    end: int
    value: Fraction
    asked: Fraction | None = None
    step: int | None = None
    scale: int = 1


@dataclass(frozen=True, slots=True)
class Plan:
    """A question's numbers, its steps, and where each operand comes from; `free` are the values that may change."""

    question: str
    numbers: tuple[Token, ...]
    steps: tuple[Step, ...]
    operands: tuple[tuple[Operand, ...], ...]
    free: tuple[Fraction, ...]

    def run(self, changed: Mapping[Fraction, Fraction]) -> list[Step] | None:
        """The steps with new values of the question's numbers; `None` when one cannot be computed or written."""
        done: list[Step] = []
        for step, operands in zip(self.steps, self.operands, strict=True):
            text = step.expression
            for operand in reversed(operands):
                value = operand.value
                if operand.step is not None:
                    value = done[operand.step].value
                elif operand.asked is not None:
                    value = changed.get(operand.asked, operand.asked) / operand.scale
                plain = plain_text(value)
                if plain is None:
                    return None
                text = text[: operand.start] + plain + text[operand.end :]
            result = evaluate(text)
            if result is None or plain_text(result) is None:
                return None
            done.append(Step(text, result))
        return done


def plain_text(value: Fraction) -> str | None:
    """`value` in digits when six decimals say it exactly, else `None`."""
    if value.denominator == 1:
        return str(value.numerator)
    scaled = value * 10**6
    return None if scaled.denominator != 1 else f"{float(value):.6f}".rstrip("0")


def plan_of(question: str, worked: str, gold: str) -> Plan:
    """The plan of a problem; raises `NoPlan` when the computation cannot be followed with certainty."""
    steps = steps_of(worked)
    if not steps:
        raise NoPlan("no readable annotations")
    if any(evaluate(step.expression) != step.value for step in steps):
        raise NoPlan("a step does not compute")
    if steps[-1].value != number(gold):
        raise NoPlan("the last step is not the answer")
    numbers = tokens(question)
    fixed = {token.value for token in numbers if not token.free}
    free = {t.value for t in numbers if t.free and t.value not in fixed and not said_in_words(question, t.value)}
    percents = {token.value for token in numbers if token.percent} & free
    operands = [_operands(step, steps[:place], question, free, fixed, percents) for place, step in enumerate(steps)]
    used = {operand.asked for row in operands for operand in row if operand.asked is not None}
    if not used:
        raise NoPlan("no number of the question can change")
    return Plan(question, tuple(numbers), tuple(steps), tuple(operands), tuple(sorted(used)))


def _operands(
    step: Step, earlier: list[Step], question: str, free: set[Fraction], fixed: set[Fraction], percents: set[Fraction]
) -> tuple[Operand, ...]:
    found = []
    for match in re.finditer(NUMBER, step.expression):
        value = Fraction(match[0])
        results = [place for place, other in enumerate(earlier) if other.value == value]
        asked, scale = (value, 1) if value in free else (None, 1)
        if asked is None and value * 100 in percents:
            asked, scale = value * 100, 100
        if results and (asked is not None or value in fixed or len(results) > 1):
            raise NoPlan("a number may come from two places")
        if not results and asked is None and value not in fixed and value != 1 and not said_in_words(question, value):
            raise NoPlan("a constant is not explained by the question")
        place = results[0] if results else None
        found.append(Operand(match.start(), match.end(), value, asked, place, scale))
    return tuple(found)
