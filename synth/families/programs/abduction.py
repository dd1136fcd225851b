"""Find the argument that gives a result: one answer, checked by trying every argument."""

from __future__ import annotations

import math
import random
import re

from synth.answers import asked, boxed
from synth.families.programs.interpreter import run
from synth.family import Item, family
from synth.syntax import tree_of
from warehouse.records import Domain

MODULI = (101, 211, 307, 401, 503)


@family("abduction", version=1, domain=Domain.MATH, levels=range(1, 6))
class Abduction:
    """The only x below a modulus for which a function of `level` invertible steps returns the number shown."""

    def generate(self, rng: random.Random, level: int) -> Item:
        modulus = MODULI[level - 1]
        x = value = rng.randrange(modulus)
        lines = ["def f(x):"]
        for _ in range(level):
            kind, constant = rng.choice(["affine", "mirror", "shift"]), rng.randint(2, modulus - 2)
            if kind == "affine" and math.gcd(constant, modulus) == 1:
                value, line = value * constant % modulus, f"x = x * {constant} % {modulus}"
            elif kind == "mirror":
                value, line = (constant - value) % modulus, f"x = ({constant} - x) % {modulus}"
            else:
                value, line = (value + constant) % modulus, f"x = (x + {constant}) % {modulus}"
            lines.append(f"    {line}")
        program = "\n".join([*lines, "    return x"])
        return asked(f"For which integer x from 0 to {modulus - 1} does f(x) return {value}?\n\n{program}\n\n", x)

    def solve(self, item: Item) -> str | None:
        question, program, _ = item.prompt.split("\n\n")
        last, goal = (int(word) for word in re.findall(r"\d+", question)[1:3])
        tree = tree_of(program)
        found = [x for x in range(last + 1) if run(tree, [x]) == goal]
        return boxed(found[0]) if len(found) == 1 else None
