"""The next term of a progression: `next 2 5 8 11?` -> `14`."""

from __future__ import annotations

import random
from fractions import Fraction

from synth.family import Item, family
from warehouse.records import Domain

START = {1: (0, 30), 2: (0, 60), 3: (20, 99), 4: (0, 20), 5: (-9, 9), 6: (-9, 9)}
STEP = {1: (1, 9), 2: (2, 29), 3: (-12, -1), 4: (0, 5), 5: (-6, 6), 6: (-2, 2)}
BEND = {4: (1, 2), 5: (1, 4), 6: (-2, 2)}


@family("next", version=1, domain=Domain.MATH, levels=range(1, 7), pocket=True)
class Next:
    """The next value of the polynomial of lowest degree through the terms.

    Levels 1 to 3 are arithmetic progressions, 4 and 5 quadratic, 6 cubic; there is always one term more than
    the polynomial needs, so that the rule is confirmed by the terms shown.
    """

    def generate(self, rng: random.Random, level: int) -> Item:
        start, step = rng.randint(*START[level]), rng.randint(*STEP[level])
        bend = rng.randint(*BEND[level]) if level in BEND else 0
        twist = rng.choice([1, 2]) if level == 6 else 0
        n_shown = 5 if level == 6 else 4
        terms = []
        for _ in range(n_shown + 1):
            terms.append(start)
            start, step, bend = start + step, step + bend, bend + twist
        *shown, answer = map(str, terms)
        return Item(prompt=f"next {' '.join(shown)}?", answer_kind="integer", reference=answer, gold=answer)

    def solve(self, item: Item) -> str | None:
        terms = [int(word) for word in item.prompt[len("next ") : -1].split()]
        for degree in range(1, len(terms) - 1):
            if all(_through(terms[: degree + 1], x) == term for x, term in enumerate(terms)):
                return str(_through(terms[: degree + 1], len(terms)))
        return None


def _through(values: list[int], x: int) -> Fraction:
    """Lagrange's polynomial through (0, values[0]), (1, values[1]), ... at x."""
    total = Fraction(0)
    for i, value in enumerate(values):
        weight = Fraction(value)
        for j in range(len(values)):
            if i != j:
                weight *= Fraction(x - j, i - j)
        total += weight
    return total
