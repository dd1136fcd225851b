"""Write a regular expression for a described form: hidden words must match, near misses must not."""

from __future__ import annotations

import random
import re

from synth.family import Item, family
from synth.sandbox import Test
from warehouse.records import Domain

SCAFFOLD = 'import re\n\ndef f(s):\n    return re.fullmatch(r"""{completion}""", s) is not None\n'


@family("pattern", version=1, domain=Domain.CODE, levels=range(1, 5))
class Pattern:
    """`level` + 1 parts, each a letter or a digit repeated between two bounds."""

    def generate(self, rng: random.Random, level: int) -> Item:
        parts: list[tuple[str, int, int]] = []
        for _ in range(level + 1):
            kinds = [kind for kind in ("a", "b", "c", "digit") if not parts or kind != parts[-1][0]]
            low = rng.randint(1, 3)
            parts.append((rng.choice(kinds), low, low + rng.randint(0, 3)))
        right = [_word(rng, parts) for _ in range(6)]
        wrong = [miss for _ in range(12) if _bad(miss := _near_miss(rng, parts), parts)]
        tests = [Test(args=(word,), expected=True) for word in dict.fromkeys(right)]
        tests += [Test(args=(word,), expected=False) for word in dict.fromkeys(wrong)]
        bounds = [str(low) if low == high else f"{low} to {high}" for _, low, high in parts]
        described = ", then ".join(
            f"{bound} digit{'' if bound == '1' else 's'}" if kind == "digit" else f"{bound} times the letter {kind}"
            for (kind, _, _), bound in zip(parts, bounds, strict=True)
        )
        reference = "".join(f"{'[0-9]' if kind == 'digit' else kind}{{{low},{high}}}" for kind, low, high in parts)
        return Item(
            prompt=f"Write a Python regular expression that matches exactly these strings: {described}.",
            answer_kind="program",
            reference=reference,
            entry="f",
            scaffold=SCAFFOLD,
            hidden_tests=tuple(tests),
        )

    def solve(self, item: Item) -> str | None:
        pieces = []
        form = r"(\d+)(?: to (\d+))? (?:times the letter ([a-c])|digits?)"
        for low, high, letter in re.findall(form, item.prompt):
            one = letter or r"(?:0|1|2|3|4|5|6|7|8|9)"
            pieces.append(one * int(low) + f"(?:{one})?" * (int(high or low) - int(low)))
        return "".join(pieces) if pieces else None


def _word(rng: random.Random, parts: list[tuple[str, int, int]]) -> str:
    return "".join(_run(rng, kind, rng.randint(low, high)) for kind, low, high in parts)


def _run(rng: random.Random, kind: str, length: int) -> str:
    return "".join(rng.choices("0123456789", k=length)) if kind == "digit" else kind * length


def _near_miss(rng: random.Random, parts: list[tuple[str, int, int]]) -> str:
    lengths = [rng.randint(low, high) for _, low, high in parts]
    place = rng.randrange(len(parts))
    _, low, high = parts[place]
    lengths[place] = rng.choice([low - 1, high + 1])
    return "".join(_run(rng, kind, length) for (kind, _, _), length in zip(parts, lengths, strict=True))


def _bad(word: str, parts: list[tuple[str, int, int]]) -> bool:
    """Whether the word is no match, found by walking its runs."""
    runs = [("digit" if run[0].isdigit() else run[0], len(run)) for run in re.findall(r"\d+|a+|b+|c+", word)]
    if len(runs) != len(parts):
        return True
    return any(
        kind != wanted or not low <= length <= high
        for (kind, length), (wanted, low, high) in zip(runs, parts, strict=True)
    )
