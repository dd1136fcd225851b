"""Count divisors: made from a factorisation, checked by trying every number."""

from __future__ import annotations

import random
import re

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain

PRIMES = (2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37)


@family("divisor_sum", version=1, domain=Domain.MATH, levels=range(1, 5))
class DivisorSum:
    """The sum of the positive divisors of a number of `level` prime powers."""

    def generate(self, rng: random.Random, level: int) -> Item:
        number, total = 1, 1
        for prime in rng.sample(PRIMES, level):
            power = rng.randint(1, {1: 4, 2: 3, 3: 2, 4: 2}[level])
            number *= prime**power
            total *= (prime ** (power + 1) - 1) // (prime - 1)
        return asked(f"Find the sum of all positive divisors of {number}.", total)

    def solve(self, item: Item) -> str | None:
        found = re.search(r"divisors of (\d+)", item.prompt)
        if not found:
            return None
        number, total, small = int(found[1]), 0, 1
        while small * small <= number:
            if number % small == 0:
                total += small + (number // small if small * small != number else 0)
            small += 1
        return boxed(total)
