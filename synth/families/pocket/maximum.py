"""The largest of some numbers: `max 17 45 99 23?` -> `99`."""

from __future__ import annotations

import random

from synth.family import Item, family
from warehouse.records import Domain


@family("max", version=1, domain=Domain.MATH, levels=range(2, 7), pocket=True)
class Max:
    """The largest of `level` numbers below 100."""

    def generate(self, rng: random.Random, level: int) -> Item:
        numbers = [rng.randrange(100) for _ in range(level)]
        answer = str(max(numbers))
        prompt = f"max {' '.join(map(str, numbers))}?"
        return Item(prompt=prompt, answer_kind="integer", reference=answer, gold=answer)

    def solve(self, item: Item) -> str | None:
        left = item.prompt[len("max ") : -1].split()
        while len(left) > 1:
            first, second = left.pop(), left.pop()
            left.append(first if (len(first), first) > (len(second), second) else second)
        return left[0]
