"""Count a pattern's occurrences as a subsequence: by dynamic programming, checked by choosing places."""

from __future__ import annotations

import random
import re
from itertools import combinations

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain


@family("subsequence", version=1, domain=Domain.MATH, levels=range(9, 18, 2))
class Subsequence:
    """In how many ways a word of three letters can be picked, in order, from a word of `level` letters."""

    def generate(self, rng: random.Random, level: int) -> Item:
        word, piece = "".join(rng.choices("abc", k=level)), "".join(rng.choices("abc", k=3))
        ways = [1, 0, 0, 0]
        for letter in word:
            for place in (2, 1, 0):
                if piece[place] == letter:
                    ways[place + 1] += ways[place]
        question = (
            f"In how many ways can letters be deleted from '{word}' so that '{piece}' is left, "
            "where deleting different places counts as different?"
        )
        return asked(question, ways[3])

    def solve(self, item: Item) -> str | None:
        word, piece = re.findall(r"'(\w+)'", item.prompt)
        return boxed(sum("".join(chosen) == piece for chosen in combinations(word, len(piece))))
