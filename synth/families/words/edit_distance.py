"""Weighted edit distance: by dynamic programming, checked by search over edits."""

from __future__ import annotations

import random
import re
from heapq import heappop, heappush

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain


@family("edit_distance", version=1, domain=Domain.MATH, levels=range(3, 10))
class EditDistance:
    """The cheapest insertions, deletions and replacements from one word of about `level` letters to another."""

    def generate(self, rng: random.Random, level: int) -> Item:
        left = "".join(rng.choices("abcde", k=level))
        right = "".join(rng.choices("abcde", k=rng.randint(level - 1, level + 2)))
        insert, delete, replace = (rng.randint(2, 15) for _ in range(3))
        row = [j * insert for j in range(len(right) + 1)]
        for i, a in enumerate(left, 1):
            previous, row = row, [i * delete]
            for j, b in enumerate(right, 1):
                kept = previous[j - 1] + (replace if a != b else 0)
                row.append(min(previous[j] + delete, row[j - 1] + insert, kept))
        question = (
            f"Inserting a letter costs {insert}, deleting one {delete} and replacing one by another {replace}. "
            f"What is the lowest total cost of turning '{left}' into '{right}'?"
        )
        return asked(question, row[-1])

    def solve(self, item: Item) -> str | None:
        insert, delete, replace = (int(word) for word in re.findall(r"\d+", item.prompt))
        left, right = re.findall(r"'(\w+)'", item.prompt)
        queue, done = [(0, 0, 0)], set()
        while queue:
            cost, i, j = heappop(queue)
            if (i, j) == (len(left), len(right)):
                return boxed(cost)
            if (i, j) in done:
                continue
            done.add((i, j))
            if i < len(left) and j < len(right):
                heappush(queue, (cost + replace * (left[i] != right[j]), i + 1, j + 1))
            if i < len(left):
                heappush(queue, (cost + delete, i + 1, j))
            if j < len(right):
                heappush(queue, (cost + insert, i, j + 1))
        return None
