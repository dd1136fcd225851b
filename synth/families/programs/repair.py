"""Repair a function with one wrong operator or constant: examples show what it should return."""

from __future__ import annotations

import random
import re
from itertools import product

from synth.families.programs.interpreter import run
from synth.family import Item, family
from synth.sandbox import Test
from synth.syntax import tree_of
from warehouse.records import Domain

SIGNS = ("+", "-", "*")
N_SHOWN = 4


@family("repair", version=1, domain=Domain.CODE, levels=range(2, 5))
class Repair:
    """A function of two numbers with `level` operations, one of which was changed.

    Every change of one operation that fits the examples agrees on the hidden tests.
    """

    def generate(self, rng: random.Random, level: int) -> Item:
        while True:
            signs = [rng.choice(SIGNS) for _ in range(level)]
            operands = [rng.choice(["a", "b", str(rng.randint(2, 9))]) for _ in range(level)]
            place = rng.randrange(level)
            broken = signs.copy()
            broken[place] = rng.choice([sign for sign in SIGNS if sign != signs[place]])
            pairs = [(rng.randint(-9, 9), rng.randint(-9, 9)) for _ in range(N_SHOWN + 6)]
            values = [_meaning(signs, operands, a, b) for a, b in pairs]
            if len(set(values)) > 3 and _settled(broken, operands, pairs, values):
                break
        tests = tuple(Test(args=pair, expected=value) for pair, value in zip(pairs, values, strict=True))
        shown = "\n".join(f"f({a}, {b}) = {value}" for (a, b), value in list(zip(pairs, values, strict=True))[:N_SHOWN])
        return Item(
            prompt=(
                "One operator of this function is wrong. Write the whole function as it should be.\n\n"
                f"{_program(broken, operands)}\nIt should give:\n{shown}\n"
            ),
            answer_kind="program",
            reference=_program(signs, operands),
            entry="f",
            tests=tests[:N_SHOWN],
            hidden_tests=tests[N_SHOWN:],
        )

    def solve(self, item: Item) -> str | None:
        program = item.prompt.split("\n\n")[1].split("\nIt should give")[0]
        shown = [tuple(map(int, found)) for found in re.findall(r"f\((-?\d+), (-?\d+)\) = (-?\d+)", item.prompt)]
        for place in [found.start() for found in re.finditer(r" [-+*] ", program)]:
            for sign in SIGNS:
                changed = f"{program[:place]} {sign} {program[place + 3 :]}"
                tree = tree_of(changed)
                if all(run(tree, [a, b]) == value for a, b, value in shown):
                    return changed
        return None


def _program(signs: list[str], operands: list[str]) -> str:
    lines = ["def f(a, b):", "    x = a"]
    lines += [f"    x = x {sign} {operand}" for sign, operand in zip(signs, operands, strict=True)]
    return "\n".join([*lines, "    return x"])


def _meaning(signs: list[str], operands: list[str], a: int, b: int) -> int:
    x = a
    for sign, operand in zip(signs, operands, strict=True):
        value = a if operand == "a" else b if operand == "b" else int(operand)
        x = x + value if sign == "+" else x - value if sign == "-" else x * value
    return x


def _settled(broken: list[str], operands: list[str], pairs: list[tuple[int, int]], values: list[int]) -> bool:
    for place, sign in product(range(len(broken)), SIGNS):
        changed = [*broken[:place], sign, *broken[place + 1 :]]
        rival = [_meaning(changed, operands, a, b) for a, b in pairs]
        if rival[:N_SHOWN] == values[:N_SHOWN] and rival != values:
            return False
    return [_meaning(broken, operands, a, b) for a, b in pairs[:N_SHOWN]] != values[:N_SHOWN]
