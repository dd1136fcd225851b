"""Symmetric functions of a polynomial's roots: made from the roots, checked by Newton's identities."""

from __future__ import annotations

import random
import re

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain


def _monic(roots: list[int]) -> list[int]:
    """Coefficients after the leading one, highest power first."""
    coefficients = [1]
    for root in roots:
        shifted, scaled = [*coefficients, 0], [0, *(-root * value for value in coefficients)]
        coefficients = [a + b for a, b in zip(shifted, scaled, strict=True)]
    return coefficients[1:]


@family("roots", version=1, domain=Domain.MATH, levels=range(2, 5))
class Roots:
    """The sum of squares or cubes of the `level` integer roots of a monic polynomial."""

    def generate(self, rng: random.Random, level: int) -> Item:
        roots = [rng.randint(-9, 9) for _ in range(level)]
        power, word = rng.choice([(2, "squares"), (3, "cubes")])
        terms = [f"x^{level}"]
        for place, value in enumerate(_monic(roots)):
            degree = level - 1 - place
            if value:
                terms.append(f"{'+' if value > 0 else '-'} {abs(value)}" + (f"x^{degree}" if degree else ""))
        answer = sum(root**power for root in roots)
        question = f"Find the sum of the {word} of the roots, counted with multiplicity, of {' '.join(terms)}."
        return asked(question, answer)

    def solve(self, item: Item) -> str | None:
        found = re.search(r"sum of the (\w+) of.* of x\^(\d)(.*)\. Give", item.prompt)
        if not found:
            return None
        n = int(found[2])
        elementary = [0] * 4
        for sign, value, degree in re.findall(r"([-+]) (\d+)(?:x\^(\d))?", found[3]):
            place = n - int(degree or 0)
            if place <= 3:
                elementary[place] = (-1) ** place * int(value) * (1 if sign == "+" else -1)
        first = elementary[1]
        second = first * first - 2 * elementary[2]
        third = elementary[1] * second - elementary[2] * first + 3 * elementary[3]
        return boxed(second if found[1] == "squares" else third)
