"""Least common multiple of several numbers: by Euclid, checked by prime powers."""

from __future__ import annotations

import math
import random
import re

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain


@family("lcm", version=1, domain=Domain.MATH, levels=range(2, 6))
class CommonMultiple:
    """The least common multiple of `level` numbers below 60."""

    def generate(self, rng: random.Random, level: int) -> Item:
        numbers = rng.sample(range(4, 60), level)
        return asked(f"Find the least common multiple of {', '.join(map(str, numbers))}.", math.lcm(*numbers))

    def solve(self, item: Item) -> str | None:
        powers: dict[int, int] = {}
        for number in map(int, re.findall(r"\d+", item.prompt)):
            prime, rest = 2, number
            while rest > 1:
                count = 0
                while rest % prime == 0:
                    rest, count = rest // prime, count + 1
                powers[prime] = max(powers.get(prime, 0), count)
                prime += 1
        answer = 1
        for prime, count in powers.items():
            answer *= prime**count
        return boxed(answer)
