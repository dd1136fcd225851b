"""Run-length coding: written run by run, checked by a regular expression."""

from __future__ import annotations

import random
import re

from synth.answers import asked, boxed
from synth.family import Item, family
from warehouse.records import Domain


@family("run_lengths", version=1, domain=Domain.MATH, levels=range(3, 9))
class RunLengths:
    """`level` runs of letters, written as letter and length, e.g. aaab as a3b1."""

    def generate(self, rng: random.Random, level: int) -> Item:
        word, code, last = "", "", ""
        for _ in range(level):
            letter = rng.choice([letter for letter in "abcd" if letter != last])
            length = rng.randint(1, 6)
            word, code, last = word + letter * length, code + f"{letter}{length}", letter
        question = f"Write '{word}' as runs, each as its letter and its length, so that 'aaab' is a3b1."
        return asked(question, code, "text")

    def solve(self, item: Item) -> str | None:
        word = re.findall(r"'(\w+)'", item.prompt)[0]
        return boxed(re.sub(r"(.)\1*", lambda run: f"{run[1]}{len(run[0])}", word))
