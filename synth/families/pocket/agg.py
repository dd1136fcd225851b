"""Infer what is computed from a list: `agg 9 2 7>11 4 8 1>12?` -> `l[0]+l[1]`."""

from __future__ import annotations

import operator
import random
from collections.abc import Callable
from itertools import product

from synth.family import Item, family
from synth.sandbox import Test
from warehouse.records import Domain

SCAFFOLD = "def f(l):\n    return {completion}\n"
WHOLE: dict[str, Callable[[list[int]], int]] = {"sum(l)": sum, "max(l)": max, "min(l)": min}
PLACES: dict[str, Callable[[list[int]], int]] = {f"l[{k}]": operator.itemgetter(k) for k in range(3)}
OPERATORS: dict[str, Callable[[int, int], int]] = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def _rules() -> dict[int, list[tuple[str, Callable[[list[int]], int]]]]:
    def joined(left: Callable[[list[int]], int], sign: str, right: Callable[[list[int]], int]) -> Callable[..., int]:
        join = OPERATORS[sign]
        return lambda values: join(left(values), right(values))

    def pairs(heads: dict[str, Callable[[list[int]], int]]) -> list[tuple[str, Callable[[list[int]], int]]]:
        choices = product(heads.items(), OPERATORS, PLACES.items())
        return [(f"{a}{sign}{b}", joined(f, sign, g)) for (a, f), sign, (b, g) in choices if f"{a}{sign}" != f"{b}-"]

    return {1: [*WHOLE.items(), *PLACES.items()], 2: pairs(PLACES), 3: pairs(WHOLE)}


RULES = _rules()
EVERY_RULE = [rule for rules in RULES.values() for _, rule in rules]


@family("agg", version=1, domain=Domain.CODE, levels=range(1, 4), pocket=True)
class Agg:
    """One of `sum`, `max`, `min` or a place of a list of three, alone or joined with a place by +, - or *.

    Every rule of that grammar that fits the two lists shown agrees on the hidden tests.
    Levels: 1 alone, 2 two places, 3 the whole and a place.
    """

    def generate(self, rng: random.Random, level: int) -> Item:
        while True:
            text, rule = rng.choice(RULES[level])
            lists = [[rng.randrange(1, 10) for _ in range(3)] for _ in range(8)]
            values = [rule(numbers) for numbers in lists]
            rivals = (r for r in EVERY_RULE if r(lists[0]) == values[0] and r(lists[1]) == values[1])
            if all([rival(numbers) for numbers in lists] == values for rival in rivals):
                break
        tests = tuple(Test(args=(numbers,), expected=value) for numbers, value in zip(lists, values, strict=True))
        shown = " ".join(f"{' '.join(map(str, test.args[0]))}>{test.expected}" for test in tests[:2])
        return Item(
            prompt=f"agg {shown}?",
            answer_kind="program",
            reference=text,
            entry="f",
            scaffold=SCAFFOLD,
            tests=tests[:2],
            hidden_tests=tests[2:],
        )

    def solve(self, item: Item) -> str | None:
        words = item.prompt[len("agg ") : -1].replace(">", " ").split()
        a, b, c, y, d, e, f, v = map(int, words)
        shown = [((a, b, c), y), ((d, e, f), v)]
        terms = {"sum(l)": [sum(xs) for xs, _ in shown], "max(l)": [max(xs) for xs, _ in shown]}
        terms |= {"min(l)": [min(xs) for xs, _ in shown]} | {f"l[{k}]": [xs[k] for xs, _ in shown] for k in range(3)}
        goal = [y, v]
        for term, values in terms.items():
            if values == goal:
                return term
        for left, right in product(terms, list(terms)[3:]):
            pair = list(zip(terms[left], terms[right], strict=True))
            for sign, results in (
                ("+", [x + z for x, z in pair]),
                ("-", [x - z for x, z in pair]),
                ("*", [x * z for x, z in pair]),
            ):
                if results == goal:
                    return left + sign + right
        return None
