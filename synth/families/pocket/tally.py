"""How often a, b, c and d occur: `tally abcaabd?` -> `3211`."""

from __future__ import annotations

import random

from synth.family import Item, family
from warehouse.records import Domain


@family("tally", version=1, domain=Domain.MATH, levels=range(4, 12), pocket=True)
class Tally:
    """The counts of a, b, c and d as four digits; the level is the word's length."""

    def generate(self, rng: random.Random, level: int) -> Item:
        word = "a" * 10
        while max(map(word.count, word)) > 9:
            word = "".join(rng.choices("abcd", k=level))
        answer = "".join(str(word.count(letter)) for letter in "abcd")
        return Item(prompt=f"tally {word}?", answer_kind="text", reference=answer, gold=answer)

    def solve(self, item: Item) -> str | None:
        seen = [0, 0, 0, 0]
        for letter in item.prompt[len("tally ") : -1]:
            seen[ord(letter) - ord("a")] += 1
        return "".join(map(str, seen))
