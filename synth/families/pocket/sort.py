"""Sort the letters of a word: `sort dacb?` -> `abcd`."""

from __future__ import annotations

import random

from synth.family import Item, family
from warehouse.records import Domain

LETTERS = "abcdefgh"


@family("sort", version=1, domain=Domain.MATH, levels=range(2, 10), pocket=True)
class Sort:
    """The word's letters in alphabetical order; the level is its length."""

    def generate(self, rng: random.Random, level: int) -> Item:
        word = "".join(rng.choices(LETTERS, k=level))
        answer = "".join(sorted(word))
        return Item(prompt=f"sort {word}?", answer_kind="text", reference=answer, gold=answer)

    def solve(self, item: Item) -> str | None:
        word = item.prompt[len("sort ") : -1]
        return "".join(letter * word.count(letter) for letter in LETTERS)
