"""Each digit plus one, modulo ten: `inc 1991?` -> `2002`."""

from __future__ import annotations

import random

from synth.family import Item, family
from warehouse.records import Domain


@family("inc", version=1, domain=Domain.MATH, levels=range(2, 10), pocket=True)
class Inc:
    """Every digit incremented for itself, 9 to 0; the level is the number of digits.

    The answer is text, not a number: a leading zero counts.
    """

    def generate(self, rng: random.Random, level: int) -> Item:
        digits = "".join(rng.choices("0123456789", k=level))
        answer = "".join(str((int(digit) + 1) % 10) for digit in digits)
        return Item(prompt=f"inc {digits}?", answer_kind="text", reference=answer, gold=answer)

    def solve(self, item: Item) -> str | None:
        return item.prompt[len("inc ") : -1].translate(str.maketrans("0123456789", "1234567890"))
