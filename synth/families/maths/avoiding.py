"""Strings that avoid a pattern: counted by an automaton, checked by writing them all."""

from __future__ import annotations

import random
import re
from itertools import product

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain


@family("avoiding", version=1, domain=Domain.MATH, levels=range(4, 9))
class Avoiding:
    """Strings of length `level` over three letters without a given piece of two to four letters."""

    def generate(self, rng: random.Random, level: int) -> Item:
        letters = "abc"
        piece = "".join(rng.choices(letters, k=rng.randint(2, min(4, level - 1))))
        states = {"": 1}
        for _ in range(level):
            following: dict[str, int] = {}
            for state, count in states.items():
                for letter in letters:
                    seen = state + letter
                    if seen.endswith(piece):
                        continue
                    tail = next(t for k in range(len(seen) + 1) if piece.startswith(t := seen[k:]))
                    following[tail] = following.get(tail, 0) + count
            states = following
        question = f"How many strings of length {level} over the letters a, b and c do not contain '{piece}'?"
        return asked(question, sum(states.values()))

    def solve(self, item: Item) -> str | None:
        found = re.search(r"length (\d+) over the letters a, b and c do not contain '(\w+)'", item.prompt)
        if not found:
            return None
        return boxed(sum(found[2] not in "".join(word) for word in product("abc", repeat=int(found[1]))))
