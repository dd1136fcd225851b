"""Add two numbers: `add 345+67?` -> `412`."""

from __future__ import annotations

import random

from synth.family import Item, family
from warehouse.records import Domain


def _number(rng: random.Random, n_digits: int) -> int:
    return rng.randrange(0 if n_digits == 1 else 10 ** (n_digits - 1), 10**n_digits)


@family("add", version=1, domain=Domain.MATH, levels=range(2, 10), pocket=True)
class Add:
    """A sum of two numbers; the level is the number of digits of both together.

    The answer is text: `12+34` itself is a number equal to the sum, and must not be an answer.
    """

    def generate(self, rng: random.Random, level: int) -> Item:
        left, right = _number(rng, (level + 1) // 2), _number(rng, level // 2)
        answer = str(left + right)
        return Item(prompt=f"add {left}+{right}?", answer_kind="text", reference=answer, gold=answer)

    def solve(self, item: Item) -> str | None:
        left, right = item.prompt[len("add ") : -1].split("+")
        width = max(len(left), len(right))
        carry, digits = 0, ""
        for a, b in zip(reversed(left.zfill(width)), reversed(right.zfill(width)), strict=True):
            carry, digit = divmod("0123456789".index(a) + "0123456789".index(b) + carry, 10)
            digits = "0123456789"[digit] + digits
        return f"1{digits}" if carry else digits
