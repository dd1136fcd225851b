"""Kinds of faults in programs of three lines: each is a template of its own, from a right program to a wrong one."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

N_LINES = 3
Lines = list[str]


class Kind(NamedTuple):
    """A kind of fault: how many lines of a program it can break, and how it breaks that many."""

    levels: Sequence[int]
    broken: Callable[[random.Random, Sequence[str], int], Lines]


def line(rng: random.Random) -> str:
    """An operator and an operand other than 0."""
    return rng.choice("+-*") + rng.choice("123456789")


def _each(change: Callable[[random.Random, str], str]) -> Callable[[random.Random, Sequence[str], int], Lines]:
    """A fault of `level` lines, each changed by itself until it differs."""

    def broken(rng: random.Random, right: Sequence[str], level: int) -> Lines:
        wrong = list(right)
        for place in rng.sample(range(N_LINES), level):
            while wrong[place] == right[place]:
                wrong[place] = change(rng, right[place])
        return wrong

    return broken


def _any(rng: random.Random, right: str) -> str:
    return rng.choice((line(rng), right[0] + rng.choice("123456789")))


def _sign(rng: random.Random, right: str) -> str:
    return rng.choice("+-*") + right[1]


def _digit(rng: random.Random, right: str) -> str:
    return right[0] + rng.choice("123456789")


def _near(rng: random.Random, right: str) -> str:
    return right[0] + str(min(9, max(1, int(right[1]) + rng.choice((-1, 1)))))


def _missing(rng: random.Random, right: str) -> str:
    return rng.choice(("+0", "-0", "*1"))


def _swapped(rng: random.Random, right: Sequence[str], level: int) -> Lines:
    """`level` lines, each in the place of the next."""
    wrong, places = list(right), rng.sample(range(N_LINES), level)
    for place, source in zip(places, [*places[1:], places[0]], strict=True):
        wrong[place] = right[source]
    return wrong


def _copied(rng: random.Random, right: Sequence[str], level: int) -> Lines:
    """One line in the place of `level` others."""
    source, *places = rng.sample(range(N_LINES), 1 + level)
    return [right[source] if place in places else text for place, text in enumerate(right)]


ALL = range(1, N_LINES + 1)
KINDS: Mapping[str, Kind] = {
    "any": Kind(ALL, _each(_any)),
    "sign": Kind(ALL, _each(_sign)),
    "digit": Kind(ALL, _each(_digit)),
    "near": Kind(ALL, _each(_near)),
    "missing": Kind(ALL, _each(_missing)),
    "swapped": Kind((2, 3), _swapped),
    "copied": Kind((1, 2), _copied),
}
"""Kinds of faults by name: any line, a wrong operator, a wrong operand, an operand off by one, a line that does
nothing, lines in each other's places, one line in the place of others."""
