"""The shortest way through a weighted graph: by Floyd and Warshall, checked by relaxing edges."""

from __future__ import annotations

import random
import re
from itertools import pairwise

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain


@family("shortest_way", version=1, domain=Domain.MATH, levels=range(4, 9))
class ShortestWay:
    """The length of the shortest way between two of `level` towns joined by roads of length 1 to 30."""

    def generate(self, rng: random.Random, level: int) -> Item:
        towns = "ABCDEFGH"[:level]
        order = rng.sample(towns, level)
        roads = {tuple(sorted(pair)): rng.randint(1, 30) for pair in pairwise(order)}
        for _ in range(level):
            roads.setdefault(tuple(sorted(rng.sample(towns, 2))), rng.randint(1, 30))
        length = {(a, b): 0 if a == b else 10**6 for a in towns for b in towns}
        for (a, b), cost in roads.items():
            length[a, b] = length[b, a] = cost
        for via in towns:
            for a in towns:
                for b in towns:
                    length[a, b] = min(length[a, b], length[a, via] + length[via, b])
        listed = ", ".join(f"{a}-{b} {cost}" for (a, b), cost in sorted(roads.items()))
        start, goal = order[0], order[-1]
        question = f"Two-way roads and their lengths: {listed}. How long is the shortest way from {start} to {goal}?"
        return asked(question, length[start, goal])

    def solve(self, item: Item) -> str | None:
        roads = [(a, b, int(cost)) for a, b, cost in re.findall(r"([A-H])-([A-H]) (\d+)", item.prompt)]
        found = re.search(r"from ([A-H]) to ([A-H])\?", item.prompt)
        if not found:
            return None
        best = {found[1]: 0}
        for _ in range(8):
            for a, b, cost in roads + [(b, a, cost) for a, b, cost in roads]:
                if a in best:
                    best[b] = min(best.get(b, 10**6), best[a] + cost)
        return boxed(best[found[2]])
