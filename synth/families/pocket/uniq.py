"""Drop letters that were seen before: `uniq abacab?` -> `abc`."""

from __future__ import annotations

import random

from synth.family import Item, family
from warehouse.records import Domain


@family("uniq", version=1, domain=Domain.MATH, levels=range(3, 11), pocket=True)
class Uniq:
    """The first occurrence of each letter, in order; the level is the word's length; a letter always repeats."""

    def generate(self, rng: random.Random, level: int) -> Item:
        word = "".join(rng.choices("abcdefgh", k=level))
        while len(set(word)) == level:
            word = "".join(rng.choices("abcdefgh", k=level))
        answer = "".join(dict.fromkeys(word))
        return Item(prompt=f"uniq {word}?", answer_kind="text", reference=answer, gold=answer)

    def solve(self, item: Item) -> str | None:
        word = item.prompt[len("uniq ") : -1]
        return "".join(letter for place, letter in enumerate(word) if letter not in word[:place])
