"""Pairs of a gold and an answer whose equality is known by construction, for audits, tests and benchmarks.

Every class of mistakes that checkers of this kind have made has a maker: from a random stream it writes one value in
two ways (equal), or two values that look alike (not equal). Truth comes from exact arithmetic on what was written,
never from a checker.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from synth.math import number_pairs, symbol_pairs
from synth.math.makers import MAKERS
from synth.seeds import stream

CLASSES = tuple(MAKERS)
"""Names of all classes."""
_SOURCES = (number_pairs, symbol_pairs)


class Pair(NamedTuple):
    """A gold, an answer or a whole completion, whether they are equal, and the class of mistake it probes."""

    gold: str
    answer: str
    equal: bool
    group: str


def pairs(n: int, *, seed: int, groups: tuple[str, ...] = CLASSES) -> Iterator[Pair]:
    """`n` pairs, each class in turn.

    >>> next(pairs(1, seed=0)).group
    'integers'
    """
    for index in range(n):
        group = groups[index % len(groups)]
        yield Pair(*MAKERS[group](stream("math pairs", seed, index)), group)
