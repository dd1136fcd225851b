"""Determinants: by expansion along a row, checked by elimination over the rationals."""

from __future__ import annotations

import random
import re
from fractions import Fraction

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain


def _expanded(rows: list[list[int]]) -> int:
    if len(rows) == 1:
        return rows[0][0]
    minors = ([row[:k] + row[k + 1 :] for row in rows[1:]] for k in range(len(rows)))
    return sum((-1) ** k * rows[0][k] * _expanded(minor) for k, minor in enumerate(minors))


@family("determinant", version=1, domain=Domain.MATH, levels=range(2, 5))
class Determinant:
    """The determinant of a `level` x `level` matrix of small integers."""

    def generate(self, rng: random.Random, level: int) -> Item:
        rows = [[rng.randint(-9, 9) for _ in range(level)] for _ in range(level)]
        return asked(f"Find the determinant of the matrix {rows}, given row by row.", _expanded(rows))

    def solve(self, item: Item) -> str | None:
        rows = [
            [Fraction(value) for value in re.findall(r"-?\d+", row)]
            for row in re.findall(r"\[([-\d, ]+)\]", item.prompt)
        ]
        result = Fraction(1)
        while rows:
            pivot = next((row for row in rows if row[0]), None)
            if pivot is None:
                return boxed(0)
            result *= pivot[0] * (-1) ** rows.index(pivot)
            rows.remove(pivot)
            rows = [[a - row[0] / pivot[0] * b for a, b in zip(row[1:], pivot[1:], strict=True)] for row in rows]
        return boxed(result)
