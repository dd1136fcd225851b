"""Infer a linear function: `lin 2>7 5>13?` -> `2*x+3`."""

from __future__ import annotations

import random
from fractions import Fraction

from synth.family import Item, family
from synth.sandbox import Test
from warehouse.records import Domain

SCAFFOLD = "def f(x):\n    return {completion}\n"
SLOPES = {1: (1, 1), 2: (1, 3), 3: (2, 9), 4: (-9, 9), 5: (-19, 19)}
OFFSETS = {1: (1, 9), 2: (0, 5), 3: (0, 9), 4: (-9, 9), 5: (-29, 29)}
HIDDEN = (-17, -4, 0, 1, 11, 38)


def expression(slope: int, offset: int) -> str:
    """`slope*x+offset` as briefly as Python allows.

    >>> expression(2, -3), expression(1, 0), expression(-1, 4)
    ('2*x-3', 'x', '-x+4')
    """
    head = {1: "x", -1: "-x"}.get(slope, f"{slope}*x")
    return head + (f"{offset:+d}" if offset else "")


@family("lin", version=1, domain=Domain.CODE, levels=range(1, 6), pocket=True)
class Lin:
    """The linear function through two points: two points determine it, so hidden tests admit one behaviour."""

    def generate(self, rng: random.Random, level: int) -> Item:
        slope, offset = rng.randint(*SLOPES[level]), rng.randint(*OFFSETS[level])
        while slope == 0 or (slope, offset) == (1, 0):
            slope, offset = rng.randint(*SLOPES[level]), rng.randint(*OFFSETS[level])
        shown = rng.sample(range(10), 2)
        pairs = [(x, slope * x + offset) for x in shown]
        return Item(
            prompt=f"lin {' '.join(f'{x}>{y}' for x, y in pairs)}?",
            answer_kind="program",
            reference=expression(slope, offset),
            entry="f",
            scaffold=SCAFFOLD,
            tests=tuple(Test(args=(x,), expected=y) for x, y in pairs),
            hidden_tests=tuple(Test(args=(x,), expected=slope * x + offset) for x in HIDDEN if x not in shown),
        )

    def solve(self, item: Item) -> str | None:
        (x, y), (u, v) = (map(int, pair.split(">")) for pair in item.prompt[len("lin ") : -1].split())
        slope = Fraction(v - y, u - x)
        offset = y - slope * x
        return f"{offset}+{slope}*x" if slope.denominator == 1 else None
