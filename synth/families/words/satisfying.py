"""Count satisfying assignments: by a truth table, checked by splitting on a variable."""

from __future__ import annotations

import random
import re
from itertools import product

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain

Clause = frozenset[tuple[str, bool]]


@family("satisfying", version=1, domain=Domain.MATH, levels=range(4, 9))
class Satisfying:
    """Assignments of `level` truth values that satisfy clauses of two or three literals."""

    def generate(self, rng: random.Random, level: int) -> Item:
        names = "pqrstuvw"[:level]
        clauses = []
        for _ in range(rng.randint(2, level)):
            chosen = rng.sample(names, min(level, rng.choice([2, 3])))
            clauses.append([(name, rng.random() < 0.5) for name in chosen])
        count = sum(
            all(any(values[names.index(name)] == sign for name, sign in clause) for clause in clauses)
            for values in product((False, True), repeat=level)
        )
        text = " and ".join(
            "(" + " or ".join(name if sign else f"not {name}" for name, sign in clause) + ")" for clause in clauses
        )
        listed = ", ".join(names)
        return asked(f"How many assignments of true and false to {listed} make this formula true: {text}?", count)

    def solve(self, item: Item) -> str | None:
        found = re.search(r"false to ([a-z, ]+) make this formula true: (.*)\?", item.prompt)
        if not found:
            return None
        clauses = [
            frozenset((literal.split()[-1], not literal.startswith("not ")) for literal in clause.split(" or "))
            for clause in re.findall(r"\(([^)]*)\)", found[2])
        ]
        return boxed(_count(clauses, len(found[1].split(", "))))


def _count(clauses: list[Clause], n_free: int) -> int:
    """Models over `n_free` variables, by setting one variable of the first clause either way."""
    if not clauses:
        return 1 << n_free
    if any(not clause for clause in clauses):
        return 0
    name = min(clauses[0])[0]
    total = 0
    for value in (False, True):
        left = [clause - {(name, not value)} for clause in clauses if (name, value) not in clause]
        total += _count(left, n_free - 1)
    return total
