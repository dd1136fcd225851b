"""Infer a quadratic function: `quad 0>1 1>3 2>7?` -> `x*x+x+1`."""

from __future__ import annotations

import random

from synth.family import Item, family
from synth.sandbox import Test
from warehouse.records import Domain

SCAFFOLD = "def f(x):\n    return {completion}\n"
LEADING = {1: (1, 1), 2: (1, 1), 3: (1, 3), 4: (-3, 3)}
MIDDLE = {1: (0, 0), 2: (0, 3), 3: (-5, 5), 4: (-9, 9)}
LAST = {1: (1, 9), 2: (0, 9), 3: (-5, 5), 4: (-9, 9)}
HIDDEN = (-9, -3, 0, 1, 5, 14, 21)


def expression(a: int, b: int, c: int) -> str:
    """`a*x*x+b*x+c` as briefly as Python allows.

    >>> expression(1, -2, 0), expression(-3, 1, 5)
    ('x*x-2*x', '-3*x*x+x+5')
    """
    text = {1: "x*x", -1: "-x*x"}.get(a, f"{a}*x*x")
    if b:
        text += {1: "+x", -1: "-x"}.get(b, f"{b:+d}*x")
    return text + (f"{c:+d}" if c else "")


@family("quad", version=1, domain=Domain.CODE, levels=range(1, 5), pocket=True)
class Quad:
    """The quadratic through three points, which determine it."""

    def generate(self, rng: random.Random, level: int) -> Item:
        while True:
            a, b, c = rng.randint(*LEADING[level]), rng.randint(*MIDDLE[level]), rng.randint(*LAST[level])
            shown = rng.sample(range(-2 if level > 2 else 0, 5), 3)
            pairs = [(x, a * x * x + b * x + c) for x in shown]
            prompt = f"quad {' '.join(f'{x}>{y}' for x, y in pairs)}?"
            if a and len(prompt) <= 24 and len(expression(a, b, c)) <= 12:
                break
        return Item(
            prompt=prompt,
            answer_kind="program",
            reference=expression(a, b, c),
            entry="f",
            scaffold=SCAFFOLD,
            tests=tuple(Test(args=(x,), expected=y) for x, y in pairs),
            hidden_tests=tuple(Test(args=(x,), expected=a * x * x + b * x + c) for x in HIDDEN if x not in shown),
        )

    def solve(self, item: Item) -> str | None:
        points = [tuple(map(int, pair.split(">"))) for pair in item.prompt[len("quad ") : -1].split()]
        (x0, y0), (x1, y1), (x2, y2) = points
        first, rest = divmod(y1 - y0, x1 - x0)
        second, rest2 = divmod(y2 - y1, x2 - x1)
        bend, rest3 = divmod(second - first, x2 - x0)
        if rest or rest2 or rest3:
            return None
        return f"{y0}+(x-({x0}))*({first}+({bend})*(x-({x1})))"
