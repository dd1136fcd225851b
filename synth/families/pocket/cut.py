"""Infer a slice: `cut hbdafc>bda?` -> `s[1:4]`."""

from __future__ import annotations

import random

from synth.family import Item, family
from synth.sandbox import Test
from warehouse.records import Domain

SCAFFOLD = "def f(s):\n    return {completion}\n"
LENGTHS = {1: (6, 9), 2: (5, 7), 3: (6, 8), 4: (5, 9), 5: (6, 8)}


def _slice(rng: random.Random, level: int, n: int) -> tuple[str, str]:
    """A slice as text and the places it takes, as letters of a word of n different letters."""
    first = rng.randrange(n - 2)
    last = rng.randrange(first + 2, n + 1)
    start, stop = str(first) if first else "", str(last) if last < n else ""
    top, bottom = str(last - 1) if last < n else "", str(first - 1) if first else ""
    text = {
        1: rng.choice([f"s[:{rng.randint(2, n - 1)}]", f"s[{rng.randint(1, n - 2)}:]"]),
        2: f"s[{max(first, 1)}:{min(last, n - 1)}]",
        3: f"s[{start}:{stop}:2]",
        4: rng.choice([f"s[{top}::-1]", f"s[:{bottom}:-1]"]),
        5: f"s[{top}:{bottom}:{rng.choice([-1, -2, -2])}]",
    }[level]
    return text, _taken(text, "abcdefghi"[:n])


def _taken(text: str, word: str) -> str:
    return word[slice(*(int(part) if part else None for part in text[2:-1].split(":")))]


@family("cut", version=1, domain=Domain.CODE, levels=range(1, 6), pocket=True)
class Cut:
    """A slice of a word of different letters; hidden tests use words of the same length.

    The letters differ, so the pair shown says which places are taken: one behaviour at that length.
    Levels: 1 an end, 2 a middle, 3 every second letter, 4 backwards, 5 backwards within bounds.
    """

    def generate(self, rng: random.Random, level: int) -> Item:
        n = rng.randint(*LENGTHS[level])
        text, places = _slice(rng, level, n)
        while len(places) < 2 or places == "abcdefghi"[:n]:
            text, places = _slice(rng, level, n)

        def test() -> Test:
            word = "".join(rng.sample("abcdefghijkl", n))
            return Test(args=(word,), expected=_taken(text, word))

        shown = test()
        return Item(
            prompt=f"cut {shown.args[0]}>{shown.expected}?",
            answer_kind="program",
            reference=text,
            entry="f",
            scaffold=SCAFFOLD,
            tests=(shown,),
            hidden_tests=tuple(test() for _ in range(5)),
        )

    def solve(self, item: Item) -> str | None:
        word, part = item.prompt[len("cut ") : -1].split(">")
        return "+".join(f"s[{word.index(letter)}]" for letter in part)
