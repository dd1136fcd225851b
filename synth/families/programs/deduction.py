"""Predict what a program returns: the generator knows the meaning, the solver interprets the text."""

from __future__ import annotations

import random

from synth.answers import asked, boxed
from synth.families.programs.interpreter import run
from synth.family import Item, family
from synth.syntax import tree_of
from warehouse.records import Domain


@family("deduction", version=1, domain=Domain.MATH, levels=range(1, 6))
class Deduction:
    """What a function of loops and branches returns for an argument; the level counts its statements."""

    def generate(self, rng: random.Random, level: int) -> Item:
        start, n_rounds = rng.randint(1, 20), rng.randint(2, 3 + level)
        steps = [_step(rng) for _ in range(level)]
        value, total = start, 0
        for i in range(n_rounds):
            for kind, constant in steps:
                value, total = _meaning(kind, constant, i, value, total)
        lines = ["def f(x):", "    total = 0", f"    for i in range({n_rounds}):"]
        lines += [f"        {line}" for kind, constant in steps for line in _lines(kind, constant)]
        lines.append("    return x + total")
        program = "\n".join(lines)
        return asked(f"What does f({start}) return?\n\n{program}\n\n", value + total)

    def solve(self, item: Item) -> str | None:
        question, program, _ = item.prompt.split("\n\n")
        argument = int(question[len("What does f(") : -len(") return?")])
        return boxed(run(tree_of(program), [argument]))


def _step(rng: random.Random) -> tuple[str, int]:
    return rng.choice(["add", "rest", "branch", "collect", "swap"]), rng.randint(2, 9)


def _meaning(kind: str, constant: int, i: int, x: int, total: int) -> tuple[int, int]:
    if kind == "add":
        return x + constant * i, total
    if kind == "rest":
        return x * constant % 97, total
    if kind == "branch":
        return (x - constant, total) if x % 2 == 0 else (x + constant, total)
    if kind == "collect":
        return x, total + x // constant
    return total, x


def _lines(kind: str, constant: int) -> list[str]:
    if kind == "branch":
        return ["if x % 2 == 0:", f"    x = x - {constant}", "else:", f"    x = x + {constant}"]
    return [
        {
            "add": f"x = x + {constant} * i",
            "rest": f"x = x * {constant} % 97",
            "collect": f"total = total + x // {constant}",
            "swap": "x, total = total, x",
        }[kind]
    ]
