"""Paths through a grid with walls: by dynamic programming, checked by walking back from the goal."""

from __future__ import annotations

import random
import re
from functools import cache

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain


@family("grid_paths", version=1, domain=Domain.MATH, levels=range(3, 8))
class GridPaths:
    """Paths of right and up steps from (0, 0) to a corner of a grid `level` wide, around blocked points."""

    def generate(self, rng: random.Random, level: int) -> Item:
        width, height = level, rng.randint(3, level + 1)
        inner = [(x, y) for x in range(width + 1) for y in range(height + 1)][1:-1]
        blocked = rng.sample(inner, rng.randint(1, level - 1))
        ways = {(0, 0): 1}
        for x in range(width + 1):
            for y in range(height + 1):
                if (x, y) != (0, 0):
                    ways[x, y] = 0 if (x, y) in blocked else ways.get((x - 1, y), 0) + ways.get((x, y - 1), 0)
        points = ", ".join(map(str, sorted(blocked)))
        question = (
            f"How many paths lead from (0, 0) to ({width}, {height}) by steps of one to the right or one up "
            f"without touching the points {points}?"
        )
        return asked(question, ways[width, height])

    def solve(self, item: Item) -> str | None:
        _, goal, *walls = [(int(x), int(y)) for x, y in re.findall(r"\((\d+), (\d+)\)", item.prompt)]

        @cache
        def ways(x: int, y: int) -> int:
            if x < 0 or y < 0 or (x, y) in walls:
                return 0
            return 1 if x == y == 0 else ways(x - 1, y) + ways(x, y - 1)

        return boxed(ways(*goal))
