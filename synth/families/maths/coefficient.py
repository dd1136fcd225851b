"""A coefficient of a product of polynomials: by convolution, checked by one product of large integers."""

from __future__ import annotations

import random
import re

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain

BASE = 10**9


def _text(coefficients: list[int]) -> str:
    return " + ".join(f"{value}x^{power}" for power, value in enumerate(coefficients))


@family("coefficient", version=1, domain=Domain.MATH, levels=range(1, 5))
class Coefficient:
    """The coefficient of a middle power in a product of two polynomials of degree `level` + 1."""

    def generate(self, rng: random.Random, level: int) -> Item:
        left, right = ([rng.randint(1, 4 + 3 * level) for _ in range(level + 2)] for _ in range(2))
        product = [0] * (2 * level + 3)
        for i, a in enumerate(left):
            for j, b in enumerate(right):
                product[i + j] += a * b
        power = rng.randint(1, 2 * level + 1)
        question = f"What is the coefficient of x^{power} in the expansion of ({_text(left)})({_text(right)})?"
        return asked(question, product[power])

    def solve(self, item: Item) -> str | None:
        found = re.search(r"of x\^(\d+) in the expansion of \((.*)\)\((.*)\)\?", item.prompt)
        if not found:
            return None
        left, right = (
            sum(int(value) * BASE ** int(power) for value, power in re.findall(r"(\d+)x\^(\d+)", text))
            for text in (found[2], found[3])
        )
        return boxed(left * right // BASE ** int(found[1]) % BASE)
