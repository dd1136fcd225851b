"""Infer a remainder or a quotient: `mod 17>2 9>4 23>3?` -> `x%5`."""

from __future__ import annotations

import random
from itertools import product

from synth.family import Item, family
from synth.sandbox import Test
from warehouse.records import Domain

SCAFFOLD = "def f(x):\n    return {completion}\n"
DIVISORS = range(2, 13)
OFFSETS = range(10)
HIDDEN = (0, 1, 13, 29, 58, 77, 144)


def _value(operator: str, divisor: int, offset: int, x: int) -> int:
    return (x % divisor if operator == "%" else x // divisor) + offset


def _fits(pairs: list[tuple[int, int]]) -> list[tuple[str, int, int]]:
    rules = product(("%", "//"), DIVISORS, OFFSETS)
    return [rule for rule in rules if all(_value(*rule, x) == y for x, y in pairs)]


@family("mod", version=1, domain=Domain.CODE, levels=range(1, 5), pocket=True)
class Mod:
    """`x%d+c` or `x//d+c` with d from 2 to 12 and c from 0 to 9, the only such rule that fits the three pairs shown.

    Levels: 1 remainders, 2 either without offset, 3 remainders with offset, 4 either with offset.
    """

    def generate(self, rng: random.Random, level: int) -> Item:
        while True:
            operator = "%" if level in (1, 3) else rng.choice(["%", "//"])
            rule = (operator, rng.choice(DIVISORS), 0 if level <= 2 else rng.randint(1, 9))
            shown = rng.sample(range(6, 100), 3)
            pairs = [(x, _value(*rule, x)) for x in shown]
            if _fits(pairs) == [rule]:
                break
        operator, divisor, offset = rule
        return Item(
            prompt=f"mod {' '.join(f'{x}>{y}' for x, y in pairs)}?",
            answer_kind="program",
            reference=f"x{operator}{divisor}" + (f"+{offset}" if offset else ""),
            entry="f",
            scaffold=SCAFFOLD,
            tests=tuple(Test(args=(x,), expected=y) for x, y in pairs),
            hidden_tests=tuple(Test(args=(x,), expected=_value(*rule, x)) for x in HIDDEN if x not in shown),
        )

    def solve(self, item: Item) -> str | None:
        pairs = [(int(x), int(y)) for x, _, y in (word.partition(">") for word in item.prompt[4:-1].split())]
        found = []
        for divisor in range(2, 13):
            for kind, place in (("divmod(x,{d})[1]", 1), ("divmod(x,{d})[0]", 0)):
                offsets = {y - divmod(x, divisor)[place] for x, y in pairs}
                if len(offsets) == 1 and 0 <= min(offsets) <= 9:
                    found.append(kind.format(d=divisor) + f"+{offsets.pop()}")
        return found[0] if len(found) == 1 else None
