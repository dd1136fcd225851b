"""Arrangements of a word's letters: by factorials, checked by placing one letter at a time."""

from __future__ import annotations

import math
import random
import re
from functools import cache

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain


@family("arrangements", version=1, domain=Domain.MATH, levels=range(5, 11))
class Arrangements:
    """Distinct orders of `level` letters in which a chosen letter does not come first."""

    def generate(self, rng: random.Random, level: int) -> Item:
        word = rng.choices("ABCDEFG"[: level - 2], k=level)
        while len(set(word)) == 1:
            word = rng.choices("ABCDEFG"[: level - 2], k=level)
        first = rng.choice(word)
        total = _orders(word)
        word_without = word.copy()
        word_without.remove(first)
        question = (
            f"In how many distinct ways can the letters of {''.join(word)} be ordered so that the first is not {first}?"
        )
        return asked(question, total - _orders(word_without))

    def solve(self, item: Item) -> str | None:
        found = re.search(r"letters of (\w+) be ordered so that the first is not (\w)\?", item.prompt)
        if not found:
            return None

        @cache
        def ways(left: str, banned: str) -> int:
            if not left:
                return 1
            return sum(ways(left.replace(letter, "", 1), "") for letter in set(left) if letter != banned)

        return boxed(ways("".join(sorted(found[1])), found[2]))


def _orders(word: list[str]) -> int:
    total = math.factorial(len(word))
    for letter in set(word):
        total //= math.factorial(word.count(letter))
    return total
