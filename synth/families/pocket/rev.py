"""Reverse a word: `rev abcd?` -> `dcba`."""

from __future__ import annotations

import random

from synth.family import Item, family
from warehouse.records import Domain

LETTERS = "abcdefgh"


@family("rev", version=1, domain=Domain.MATH, levels=range(2, 10), pocket=True)
class Rev:
    """The word backwards; the level is its length."""

    def generate(self, rng: random.Random, level: int) -> Item:
        word = "".join(rng.choices(LETTERS, k=level))
        answer = word[::-1]
        return Item(prompt=f"rev {word}?", answer_kind="text", reference=answer, gold=answer)

    def solve(self, item: Item) -> str | None:
        word = list(item.prompt.removeprefix("rev ").removesuffix("?"))
        left, right = 0, len(word) - 1
        while left < right:
            word[left], word[right] = word[right], word[left]
            left, right = left + 1, right - 1
        return "".join(word)
