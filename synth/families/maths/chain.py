"""Evaluate an expression with parentheses: the generator builds values, the solver reads the text."""

from __future__ import annotations

import random
import re

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain


def _tree(rng: random.Random, n: int) -> tuple[str, int, bool]:
    """Text, value, and whether the text is a sum (which needs parentheses inside a product)."""
    if n == 1:
        value = rng.randint(2, 20)
        return str(value), value, False
    split = rng.randint(1, n - 1)
    left, a, left_is_sum = _tree(rng, split)
    right, b, right_is_sum = _tree(rng, n - split)
    sign = rng.choice("+-*")
    if sign == "*":
        left, right = (f"({text})" if is_sum else text for text, is_sum in ((left, left_is_sum), (right, right_is_sum)))
        return f"{left} * {right}", a * b, False
    right = f"({right})" if right_is_sum else right
    return f"{left} {sign} {right}", a + b if sign == "+" else a - b, True


@family("chain", version=1, domain=Domain.MATH, levels=range(3, 11))
class Chain:
    """Sums, differences and products of `level` numbers; the answer is text, so that an echo is no answer."""

    def generate(self, rng: random.Random, level: int) -> Item:
        text, value, _ = _tree(rng, level)
        return asked(f"Compute {text}.", value, "text")

    def solve(self, item: Item) -> str | None:
        found = re.match(r"Compute (.*)\. Give", item.prompt)
        return boxed(_value(re.findall(r"\d+|[-+*()]", found[1]))) if found else None


def _value(tokens: list[str]) -> int:
    """Two stacks: numbers and waiting signs."""
    strength = {"+": 1, "-": 1, "*": 2, "(": 0}
    numbers: list[int] = []
    signs: list[str] = []

    def apply() -> None:
        right, left, sign = numbers.pop(), numbers.pop(), signs.pop()
        numbers.append(left * right if sign == "*" else left + right if sign == "+" else left - right)

    for token in tokens:
        if token.isdigit():
            numbers.append(int(token))
        elif token == "(":
            signs.append(token)
        elif token == ")":
            while signs[-1] != "(":
                apply()
            signs.pop()
        else:
            while signs and strength[signs[-1]] >= strength[token]:
                apply()
            signs.append(token)
    while signs:
        apply()
    return numbers[0]
