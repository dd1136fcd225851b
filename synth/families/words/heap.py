"""A priority queue: run with a heap, checked with a sorted list."""

from __future__ import annotations

import heapq
import random
import re

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain


@family("heap", version=1, domain=Domain.MATH, levels=range(4, 11))
class Heap:
    """The sum of what `pop` takes from a smallest-first queue in `level` operations or more."""

    def generate(self, rng: random.Random, level: int) -> Item:
        queue: list[int] = []
        words: list[str] = []
        total = n_popped = 0
        while len(words) < level or not n_popped:
            if queue and rng.random() < 0.4:
                total += heapq.heappop(queue)
                n_popped += 1
                words.append("pop")
            else:
                value = rng.randint(1, 60)
                heapq.heappush(queue, value)
                words.append(f"push {value}")
        done = ", ".join(words)
        question = f"A queue returns its smallest number first. After {done}: what is the sum of all numbers popped?"
        return asked(question, total)

    def solve(self, item: Item) -> str | None:
        waiting: list[int] = []
        popped = []
        for number in re.findall(r"push (\d+)|pop(?!ped)", item.prompt):
            if number:
                waiting = sorted([*waiting, int(number)], reverse=True)
            else:
                popped.append(waiting.pop())
        return boxed(sum(popped))
