"""Strings that avoid two pieces: counted by an automaton, checked by writing them all."""

from __future__ import annotations

import random
import re
from itertools import product

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain

LETTERS = "abc"


@family("avoiding", version=1, domain=Domain.MATH, levels=range(4, 9))
class Avoiding:
    """Strings of length `level` over three letters without either of two pieces of two to four letters."""

    def generate(self, rng: random.Random, level: int) -> Item:
        pieces = ["".join(rng.choices(LETTERS, k=rng.randint(2, 4))) for _ in range(2)]
        while pieces[0] in pieces[1] or pieces[1] in pieces[0]:
            pieces = ["".join(rng.choices(LETTERS, k=rng.randint(2, 4))) for _ in range(2)]
        states = {"": 1}
        for _ in range(level):
            following: dict[str, int] = {}
            for state, count in states.items():
                for letter in LETTERS:
                    seen = state + letter
                    if not seen.endswith(tuple(pieces)):
                        tail = next(t for k in range(len(seen) + 1) if any(p.startswith(t := seen[k:]) for p in pieces))
                        following[tail] = following.get(tail, 0) + count
            states = following
        question = (
            f"How many strings of length {level} over the letters a, b and c contain neither '{pieces[0]}' nor "
            f"'{pieces[1]}'?"
        )
        return asked(question, sum(states.values()))

    def solve(self, item: Item) -> str | None:
        found = re.search(r"length (\d+) .* neither '(\w+)' nor '(\w+)'", item.prompt)
        if not found:
            return None
        words = map("".join, product(LETTERS, repeat=int(found[1])))
        return boxed(sum(found[2] not in word and found[3] not in word for word in words))
