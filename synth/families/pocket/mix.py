"""Infer how two pieces of a word are joined: `mix dbeac>eacdb?` -> `s[2:]+s[:2]`."""

from __future__ import annotations

import random

from synth.family import Item, family
from synth.sandbox import Test
from warehouse.records import Domain

SCAFFOLD = "def f(s):\n    return {completion}\n"
PIECES = {
    1: (
        ("s", "s[0]"),
        ("s", "s[-1]"),
        ("s", "s"),
        ("s[0]", "s"),
        ("s[-1]", "s"),
        ("s[1:]", "s[0]"),
        ("s[-1]", "s[:-1]"),
    ),
    2: tuple((f"s[{k}:]", f"s[:{k}]") for k in range(1, 4)) + tuple((f"s[{k}:]", "s") for k in range(1, 4)),
    3: (
        ("s[::-1]", "s"),
        ("s", "s[::-1]"),
        ("s[::-1]", "s[0]"),
        ("s[0]", "s[::-1]"),
        ("s[1]", "s[::-1]"),
        ("s[2]", "s[::-1]"),
        ("s[::-1]", "s[1]"),
    ),
    4: tuple((a, b) for a in ("s[::2]", "s[1::2]", "s[::-2]") for b in ("s", "s[0]", "s[1]", "s[2]")),
}


def _piece(text: str, word: str) -> str:
    inside = text[2:-1]
    if not inside:
        return word
    if ":" not in inside:
        return word[int(inside)]
    return word[slice(*(int(part) if part else None for part in inside.split(":")))]


@family("mix", version=1, domain=Domain.CODE, levels=range(1, 5), pocket=True)
class Mix:
    """Two pieces of a word of different letters, joined; hidden tests use words of the same length.

    The letters differ, so the pair shown says which place each letter came from: one behaviour at that length.
    """

    def generate(self, rng: random.Random, level: int) -> Item:
        left, right = rng.choice(PIECES[level])
        n = rng.randint(4, 6)

        def test() -> Test:
            word = "".join(rng.sample("abcdefghijkl", n))
            return Test(args=(word,), expected=_piece(left, word) + _piece(right, word))

        shown = test()
        return Item(
            prompt=f"mix {shown.args[0]}>{shown.expected}?",
            answer_kind="program",
            reference=f"{left}+{right}",
            entry="f",
            scaffold=SCAFFOLD,
            tests=(shown,),
            hidden_tests=tuple(test() for _ in range(5)),
        )

    def solve(self, item: Item) -> str | None:
        word, joined = item.prompt[len("mix ") : -1].split(">")
        places = ",".join(str(word.index(letter)) for letter in joined)
        return f"''.join(s[i] for i in ({places},))"
