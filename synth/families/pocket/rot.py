"""Shift letters around the circle a to h: `rot cafe+3?` -> `fdah`."""

from __future__ import annotations

import random

from synth.family import Item, family
from warehouse.records import Domain

CIRCLE = "abcdefgh"


@family("rot", version=1, domain=Domain.MATH, levels=range(2, 10), pocket=True)
class Rot:
    """Every letter moved on by 1 to 7 places, h to a; the level is the word's length."""

    def generate(self, rng: random.Random, level: int) -> Item:
        word, places = rng.choices(CIRCLE, k=level), rng.randint(1, 7)
        answer = "".join(CIRCLE[(CIRCLE.index(letter) + places) % 8] for letter in word)
        return Item(prompt=f"rot {''.join(word)}+{places}?", answer_kind="text", reference=answer, gold=answer)

    def solve(self, item: Item) -> str | None:
        word, places = item.prompt[len("rot ") : -1].split("+")
        for _ in range(int(places)):
            word = word.translate(str.maketrans("abcdefgh", "bcdefgha"))
        return word
