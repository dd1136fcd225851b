"""A stack machine: run forwards by the generator, read backwards as an expression by the solver."""

from __future__ import annotations

import random
import re

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain


@family("stack", version=1, domain=Domain.MATH, levels=range(2, 9))
class Stack:
    """Postfix arithmetic with `level` operations; `dup` repeats the top."""

    def generate(self, rng: random.Random, level: int) -> Item:
        words: list[str] = []
        stack: list[int] = []
        done = 0
        while done < level or len(stack) > 1:
            if len(stack) >= 2 and (done >= level or rng.random() < 0.5):
                right, left, word = stack.pop(), stack.pop(), rng.choice(["add", "sub", "mul"])
                stack.append(left + right if word == "add" else left - right if word == "sub" else left * right)
                done += 1
            elif stack and rng.random() < 0.15:
                word = "dup"
                stack.append(stack[-1])
            else:
                stack.append(rng.randint(1, 12))
                word = str(stack[-1])
            words.append(word)
        question = (
            f"A stack machine pushes numbers; add, sub and mul replace the two top values by their sum, difference "
            f"(lower minus top) or product; dup pushes a copy of the top. What is left after: {' '.join(words)}?"
        )
        return asked(question, stack[0])

    def solve(self, item: Item) -> str | None:
        found = re.search(r"left after: (.*)\?", item.prompt)
        if not found:
            return None
        words = found[1].split()

        def value(end: int) -> tuple[int, int]:
            """The value that the words up to `end` leave on top, and where its words start."""
            word = words[end]
            if word == "dup":
                return value(end - 1)[0], end
            if word not in ("add", "sub", "mul"):
                return int(word), end
            right, start = value(end - 1)
            left, begin = value(start - 1)
            return (left + right if word == "add" else left - right if word == "sub" else left * right), begin

        return boxed(value(len(words) - 1)[0])
