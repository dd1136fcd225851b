"""Write a number of one base in another."""

from __future__ import annotations

import random
import re

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain

DIGITS = "0123456789abcdef"


@family("bases", version=1, domain=Domain.MATH, levels=range(2, 8))
class Bases:
    """A number of `level` digits, from base 2..16 to another; digits above nine are a to f."""

    def generate(self, rng: random.Random, level: int) -> Item:
        source, target = rng.sample(range(2, 17), 2)
        value = rng.randrange(source ** (level - 1), source**level)
        text = f"Write the base-{source} number {_written(value, source)} in base {target}, with lower-case digits."
        return asked(text, _written(value, target), "text")

    def solve(self, item: Item) -> str | None:
        found = re.search(r"base-(\d+) number (\w+) in base (\d+)", item.prompt)
        if not found:
            return None
        value, target = int(found[2], int(found[1])), int(found[3])
        place = 1
        while place * target <= value:
            place *= target
        digits = ""
        while place:
            digits += "0123456789abcdef"[value // place]
            value, place = value % place, place // target
        return boxed(digits)


def _written(value: int, base: int) -> str:
    digits = ""
    while value:
        value, digit = divmod(value, base)
        digits = DIGITS[digit] + digits
    return digits or "0"
