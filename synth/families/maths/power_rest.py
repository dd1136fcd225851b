"""The remainder of a large power: fast exponentiation, checked by walking the cycle."""

from __future__ import annotations

import random
import re

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain


@family("power_rest", version=1, domain=Domain.MATH, levels=range(1, 6))
class PowerRest:
    """a**b modulo m; m up to 80 + 40 * level, b up to 10 ** level."""

    def generate(self, rng: random.Random, level: int) -> Item:
        base, modulus = rng.randint(2, 30 * level), rng.randint(40, 80 + 40 * level)
        exponent = rng.randint(3, 10**level + 9)
        question = f"What is the remainder when {base}^{exponent} is divided by {modulus}?"
        return asked(question, pow(base, exponent, modulus))

    def solve(self, item: Item) -> str | None:
        base, exponent, modulus = (int(word) for word in re.findall(r"\d+", item.prompt)[:3])
        seen: dict[int, int] = {}
        values: list[int] = []
        value = 1 % modulus
        while value not in seen:
            seen[value] = len(values)
            values.append(value)
            value = value * base % modulus
        start = seen[value]
        if exponent < len(values):
            return boxed(values[exponent])
        return boxed(values[start + (exponent - start) % (len(values) - start)])
