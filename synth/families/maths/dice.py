"""Chances of dice: by convolving distributions, checked by rolling every outcome."""

from __future__ import annotations

import random
import re
from fractions import Fraction
from itertools import product

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain


@family("dice", version=1, domain=Domain.MATH, levels=range(2, 5))
class Dice:
    """The chance that `level` dice of different sizes sum to at least a bound."""

    def generate(self, rng: random.Random, level: int) -> Item:
        sides = [rng.randint(4, 10 if level < 4 else 7) for _ in range(level)]
        counts = {0: 1}
        for size in sides:
            rolled: dict[int, int] = {}
            for total, count in counts.items():
                for face in range(1, size + 1):
                    rolled[total + face] = rolled.get(total + face, 0) + count
            counts = rolled
        bound = rng.randint(level + 1, sum(sides))
        chance = Fraction(sum(n for total, n in counts.items() if total >= bound), sum(counts.values()))
        listed = ", ".join(map(str, sides))
        question = (
            f"Fair dice with {listed} sides, numbered from 1, are rolled together. What is the probability, as a "
            f"fraction in lowest terms, that the sum is at least {bound}?"
        )
        return asked(question, chance, "rational")

    def solve(self, item: Item) -> str | None:
        found = re.search(r"dice with ([\d, ]+) sides.*at least (\d+)", item.prompt)
        if not found:
            return None
        rolls = list(product(*(range(1, int(size) + 1) for size in found[1].split(", "))))
        return boxed(Fraction(sum(sum(roll) >= int(found[2]) for roll in rolls), len(rolls)))
