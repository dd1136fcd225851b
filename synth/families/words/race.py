"""Who finished where: made by trying every order, checked by placing people one after another."""

from __future__ import annotations

import random
import re
from itertools import permutations

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain

NAMES = ("Ana", "Ben", "Cleo", "Dan", "Eva", "Finn")


@family("race", version=1, domain=Domain.MATH, levels=range(3, 7))
class Race:
    """The only finishing order of `level` runners that fits the clues."""

    def generate(self, rng: random.Random, level: int) -> Item:
        people = rng.sample(NAMES, level)
        order = people[:]
        rng.shuffle(order)
        left = list(permutations(people))
        clues: list[str] = []
        while len(left) > 1:
            a, b = rng.sample(range(level), 2)
            first, second, gap = order[min(a, b)], order[max(a, b)], abs(a - b)
            kind = rng.choice(["before", "gap", "not"])
            if kind == "before":
                clue, kept = f"{first} finished before {second}", [p for p in left if p.index(first) < p.index(second)]
            elif kind == "gap":
                clue = f"{second} finished {gap} place{'s' if gap > 1 else ''} after {first}"
                kept = [p for p in left if p.index(second) - p.index(first) == gap]
            else:
                clue, kept = f"{order[a]} did not finish in place {b + 1}", [p for p in left if p[b] != order[a]]
            if len(kept) < len(left):
                left = kept
                clues.append(clue)
        rng.shuffle(clues)
        initials = "".join(name[0] for name in order)
        question = (
            f"{', '.join(sorted(people))} ran a race without ties. {'. '.join(clues)}. "
            "Write the first letters of their names in order of finishing, without spaces."
        )
        return asked(question, initials, "text")

    def solve(self, item: Item) -> str | None:
        listed, _, rest = item.prompt.partition(" ran a race without ties. ")
        people = listed.split(", ")
        found: list[list[str]] = []

        def fits(order: list[str]) -> bool:
            place = {name: spot for spot, name in enumerate(order, 1)}
            for first, second in re.findall(r"(\w+) finished before (\w+)", rest):
                if second in place and place.get(first, 99) > place[second]:
                    return False
            for second, gap, first in re.findall(r"(\w+) finished (\d) places? after (\w+)", rest):
                if second in place and place.get(first, 99) != place[second] - int(gap):
                    return False
            return all(
                place.get(name) != int(spot) for name, spot in re.findall(r"(\w+) did not finish in place (\d)", rest)
            )

        def extend(order: list[str]) -> None:
            if len(order) == len(people):
                found.append(order)
            for name in people:
                if name not in order and fits([*order, name]):
                    extend([*order, name])

        extend([])
        return boxed("".join(name[0] for name in found[0])) if len(found) == 1 else None
