"""The smallest number with given remainders: made backwards from the number, checked by sieving."""

from __future__ import annotations

import math
import random
import re

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain

MODULI = (3, 4, 5, 7, 9, 11, 13, 16, 17, 19)


@family("remainders", version=1, domain=Domain.MATH, levels=range(2, 5))
class Remainders:
    """`level` remainders by coprime moduli determine the smallest non-negative number."""

    def generate(self, rng: random.Random, level: int) -> Item:
        moduli = rng.sample(MODULI, level)
        while math.lcm(*moduli) != math.prod(moduli):
            moduli = rng.sample(MODULI, level)
        number = rng.randrange(math.prod(moduli))
        conditions = ", ".join(f"{number % modulus} when divided by {modulus}" for modulus in moduli)
        return asked(f"Find the smallest non-negative integer that leaves remainder {conditions}.", number)

    def solve(self, item: Item) -> str | None:
        number, step = 0, 1
        for rest, modulus in re.findall(r"(\d+) when divided by (\d+)", item.prompt):
            while number % int(modulus) != int(rest):
                number += step
            step *= int(modulus)
        return boxed(number)
