"""Numbers divisible by one of several: by inclusion and exclusion, checked by counting."""

from __future__ import annotations

import math
import random
import re
from itertools import combinations

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain


@family("divisible", version=1, domain=Domain.MATH, levels=range(2, 5))
class Divisible:
    """How many integers up to a bound are divisible by at least one of `level` numbers."""

    def generate(self, rng: random.Random, level: int) -> Item:
        bound, numbers = rng.randint(50, 400 * level), rng.sample(range(2, 16), level)
        total = sum(
            (-1) ** (size + 1) * (bound // math.lcm(*chosen))
            for size in range(1, level + 1)
            for chosen in combinations(numbers, size)
        )
        listed = ", ".join(map(str, numbers))
        return asked(f"How many integers from 1 to {bound} are divisible by at least one of {listed}?", total)

    def solve(self, item: Item) -> str | None:
        _, bound, *numbers = map(int, re.findall(r"\d+", item.prompt))
        return boxed(sum(any(value % number == 0 for number in numbers) for value in range(1, bound + 1)))
