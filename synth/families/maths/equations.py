"""Linear equations: made from their solution, checked by Cramer's rule."""

from __future__ import annotations

import random
import re
from fractions import Fraction

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain

NAMES = "xyz"


def _determinant(rows: list[list[int]]) -> int:
    if len(rows) == 1:
        return rows[0][0]
    return sum(
        (-1) ** place * value * _determinant([row[:place] + row[place + 1 :] for row in rows[1:]])
        for place, value in enumerate(rows[0])
    )


@family("equations", version=1, domain=Domain.MATH, levels=range(1, 5))
class Equations:
    """Two unknowns (levels 1 and 2) or three (3 and 4), integer solutions; asks for a combination of them."""

    def generate(self, rng: random.Random, level: int) -> Item:
        n, size = (2, 4 + 3 * level) if level <= 2 else (3, 2 + level)
        solution = [rng.randint(-3 * level - 5, 3 * level + 5) for _ in range(n)]
        rows = [[rng.choice([-1, 1]) * rng.randint(1, size) for _ in range(n)] for _ in range(n)]
        while _determinant(rows) == 0:
            rows = [[rng.choice([-1, 1]) * rng.randint(1, size) for _ in range(n)] for _ in range(n)]
        lines = []
        for row in rows:
            left = " + ".join(f"{value}{name}" for value, name in zip(row, NAMES, strict=False))
            lines.append(f"{left} = {sum(a * x for a, x in zip(row, solution, strict=True))}".replace("+ -", "- "))
        asks = [rng.randint(1, 9) for _ in range(n)]
        goal = " + ".join(f"{value}{name}" for value, name in zip(asks, NAMES, strict=False))
        answer = sum(a * x for a, x in zip(asks, solution, strict=True))
        return asked(f"If {' and '.join(lines)}, what is {goal}?", answer)

    def solve(self, item: Item) -> str | None:
        body, _, goal = item.prompt.removeprefix("If ").partition(", what is ")
        n = 3 if "z" in body else 2
        table = []
        for line in body.split(" and "):
            left, right = line.replace(" ", "").split("=")
            table.append([int(term) for term in re.findall(r"[-+]?\d+(?=[xyz])", left)] + [int(right)])
        whole = _expanded([row[:n] for row in table])
        total = Fraction(0)
        for place, weight in enumerate(re.findall(r"(\d+)[xyz]", goal)):
            swapped = [[row[n] if k == place else row[k] for k in range(n)] for row in table]
            total += int(weight) * Fraction(_expanded(swapped), whole)
        return boxed(total)


def _expanded(rows: list[list[int]]) -> int:
    """Sarrus' rule, written out."""
    if len(rows) == 2:
        (a, b), (c, d) = rows
        return a * d - b * c
    (a, b, c), (d, e, f), (g, h, i) = rows
    return a * e * i + b * f * g + c * d * h - c * e * g - b * d * i - a * f * h
