"""Write a function from examples: lists to numbers, one rule of a small grammar fits."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from itertools import product

from synth.family import Item, family
from synth.sandbox import Test
from warehouse.records import Domain

PICKS: dict[str, Callable[[int], bool]] = {
    "": lambda x: True,
    " if x % 2 == 0": lambda x: x % 2 == 0,
    " if x % 2 == 1": lambda x: x % 2 == 1,
    " if x > 5": lambda x: x > 5,
    " if x < 5": lambda x: x < 5,
    " if x % 3 == 0": lambda x: x % 3 == 0,
}
MAPS: dict[str, Callable[[int], int]] = {
    "x": lambda x: x,
    "x * x": lambda x: x * x,
    "x + 1": lambda x: x + 1,
    "2 * x": lambda x: 2 * x,
    "x % 4": lambda x: x % 4,
    "1": lambda x: 1,
}
LEVELS = {1: (list(PICKS)[:3], list(MAPS)[:2]), 2: (list(PICKS), list(MAPS)[:3]), 3: (list(PICKS), list(MAPS))}
N_SHOWN = 5


@family("induction", version=1, domain=Domain.CODE, levels=range(1, 4))
class Induction:
    """A sum over a list, filtered and mapped; every rule that fits the examples agrees on the hidden tests."""

    def generate(self, rng: random.Random, level: int) -> Item:
        picks, maps = LEVELS[level]
        while True:
            pick, change = rng.choice(picks), rng.choice(maps)
            lists = [rng.choices(range(12), k=rng.randint(2, 6)) for _ in range(N_SHOWN + 6)]
            values = [sum(MAPS[change](x) for x in numbers if PICKS[pick](x)) for numbers in lists]
            if _settled(lists, values):
                break
        tests = tuple(Test(args=(numbers,), expected=value) for numbers, value in zip(lists, values, strict=True))
        shown = "\n".join(f"f({test.args[0]}) = {test.expected}" for test in tests[:N_SHOWN])
        return Item(
            prompt=f"Write a Python function f(l) of a list of integers that does what these examples show.\n{shown}\n",
            answer_kind="program",
            reference=f"def f(l):\n    return sum({change} for x in l{pick})\n",
            entry="f",
            tests=tests[:N_SHOWN],
            hidden_tests=tests[N_SHOWN:],
        )

    def solve(self, item: Item) -> str | None:
        shown = [
            ([int(word) for word in numbers.split(",")], int(value))
            for numbers, value in re.findall(r"f\(\[([\d, ]+)\]\) = (-?\d+)", item.prompt)
        ]
        for change, pick in product(_TERMS, _TAKEN):
            term, taken = _TERMS[change], _TAKEN[pick]
            if all(sum(term(x) for x in numbers if taken(x)) == value for numbers, value in shown):
                test = pick.replace("x&1==0", "not x&1")
                return f"def f(l):\n    t=0\n    for x in l:\n        if {test}: t+={change}\n    return t\n"
        return None


def _settled(lists: list[list[int]], values: list[int]) -> bool:
    """Whether every rule that fits the examples shown gives the hidden values too."""
    for picked, changed in product(PICKS.values(), MAPS.values()):
        rival = [sum(changed(x) for x in numbers if picked(x)) for numbers in lists]
        if rival[:N_SHOWN] == values[:N_SHOWN] and rival != values:
            return False
    return True


_TERMS: Mapping[str, Callable[[int], int]] = {
    "x": lambda x: x,
    "x*x": lambda x: x**2,
    "x+1": lambda x: x + 1,
    "x+x": lambda x: x << 1,
    "x&3": lambda x: x & 3,
    "1": lambda x: 1,
}
_TAKEN: Mapping[str, Callable[[int], bool]] = {
    "1": lambda x: True,
    "x&1==0": lambda x: not x & 1,
    "x&1": lambda x: bool(x & 1),
    "x>5": lambda x: x >= 6,
    "x<5": lambda x: x <= 4,
    "x%3<1": lambda x: x in (0, 3, 6, 9),
}
