"""Infer a bitwise function: `bit 5>6 10>3?` -> `x&12^2`."""

from __future__ import annotations

import random

from synth.family import Item, family
from synth.sandbox import Test
from warehouse.records import Domain

SCAFFOLD = "def f(x):\n    return {completion}\n"


@family("bit", version=1, domain=Domain.CODE, levels=range(2, 7), pocket=True)
class Bit:
    """A function of `level` bits that treats each bit for itself.

    The two inputs shown are complements, so each bit is seen as 0 and as 1: that determines every such function
    on the numbers of that many bits, which are what the hidden tests ask for.
    """

    def generate(self, rng: random.Random, level: int) -> Item:
        full = 2**level - 1
        kind, mask, flip = rng.choice("&^|+"), rng.randint(1, full - 1), rng.randint(1, full)
        keep, turn, reference = {
            "&": (mask, 0, f"x&{mask}"),
            "^": (full, flip, f"x^{flip}"),
            "|": (full ^ mask, mask, f"x|{mask}"),
            "+": (mask, flip, f"x&{mask}^{flip}"),
        }[kind]
        x = rng.randrange(full + 1)
        shown = [x, full - x]
        others = [value for value in range(full + 1) if value not in shown]
        hidden = rng.sample(others, min(8, len(others)))
        return Item(
            prompt=f"bit {' '.join(f'{x}>{(x & keep) ^ turn}' for x in shown)}?",
            answer_kind="program",
            reference=reference,
            entry="f",
            scaffold=SCAFFOLD,
            tests=tuple(Test(args=(x,), expected=(x & keep) ^ turn) for x in shown),
            hidden_tests=tuple(Test(args=(x,), expected=(x & keep) ^ turn) for x in hidden),
        )

    def solve(self, item: Item) -> str | None:
        (x, y), (_, v) = (map(int, pair.split(">")) for pair in item.prompt[len("bit ") : -1].split())
        when_one = when_zero = 0
        for place in range(8):
            bit, image, other = (x >> place) & 1, (y >> place) & 1, (v >> place) & 1
            when_one |= (image if bit else other) << place
            when_zero |= (other if bit else image) << place
        return f"x&{when_one}|~x&{when_zero}"
