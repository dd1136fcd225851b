"""Chances of drawing without replacement: by binomials, checked by a walk over draws."""

from __future__ import annotations

import math
import random
import re
from fractions import Fraction
from functools import cache

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain


@family("urn", version=1, domain=Domain.MATH, levels=range(2, 6))
class Urn:
    """The chance of exactly k red balls among `level` draws without replacement."""

    def generate(self, rng: random.Random, level: int) -> Item:
        red, blue = rng.randint(level, 25 + level), rng.randint(level, 25 + level)
        k = rng.randint(0, level)
        chance = Fraction(math.comb(red, k) * math.comb(blue, level - k), math.comb(red + blue, level))
        question = (
            f"An urn holds {red} red and {blue} blue balls. {level} balls are drawn without replacement. What is the "
            f"probability, as a fraction in lowest terms, that exactly {k} of them are red?"
        )
        return asked(question, chance, "rational")

    def solve(self, item: Item) -> str | None:
        red, blue, draws, k = (int(word) for word in re.findall(r"\d+", item.prompt)[:4])

        @cache
        def chance(red: int, blue: int, draws: int, wanted: int) -> Fraction:
            if wanted < 0 or wanted > draws:
                return Fraction(0)
            if draws == 0:
                return Fraction(1)
            total = red + blue
            result = Fraction(0)
            if red:
                result += Fraction(red, total) * chance(red - 1, blue, draws - 1, wanted - 1)
            if blue:
                result += Fraction(blue, total) * chance(red, blue - 1, draws - 1, wanted)
            return result

        return boxed(chance(red, blue, draws, k))
