"""The numbers of a word problem: which of them may change, and how they are written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction

from synth.annotations import number

TOKEN = re.compile(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?")
_GLUED = re.compile(r"[A-Za-z/:.,\-]$")
_YEARS = range(1800, 2101)

WORDS: dict[int, str] = {
    2: r"two|twice|double|half|both|couple|pair|second|halves|times as|each other|twins?",
    3: r"three|thrice|triple|third",
    4: r"four|quarter|fourth|quadruple",
    5: r"five|fifth|nickel|weekday",
    6: r"six|sixth|half a dozen",
    7: r"seven|week|daily|every day|each day|day",
    8: r"eight|eighth",
    9: r"nine|ninth",
    10: r"ten|tenth|dime|decade",
    11: r"eleven",
    12: r"twelve|dozen|year|month|foot|feet|annual|inch",
    24: r"day|hour",
    25: r"quarter",
    30: r"thirty|month",
    36: r"yard",
    50: r"fifty|half|state",
    52: r"year|week",
    60: r"hour|minute|second",
    100: r"hundred|percent|%|cents?|dollars?|\$|cm|meter",
    365: r"year",
    1000: r"thousand|kilo|kg|km|ml|liter|gram",
}
"""Constants that a computation may use without the question writing them in digits, and the words that allow it."""


@dataclass(frozen=True, slots=True)
class Token:
    """A number in a question: where it stands, its value, whether it may change and whether it is a percentage."""

    start: int
    end: int
    text: str
    value: Fraction
    free: bool
    percent: bool

    @property
    def decimals(self) -> int:
        """Digits after the point."""
        return len(self.text.partition(".")[2])


def tokens(question: str) -> list[Token]:
    """The numbers of `question` in order.

    Fixed are ordinals, fractions, ratios, clock times, ranges, years, 0 and 1, and numbers glued to letters.

    >>> [(t.text, t.free) for t in tokens("In 2019 Ann ate 1/2 of 48 pies by 5:30.")]
    [('2019', False), ('1', False), ('2', False), ('48', True), ('5', False), ('30', False)]
    """
    found = []
    for match in TOKEN.finditer(question):
        value = number(match[0])
        if value is None:
            continue
        before, after = question[: match.start()], question[match.end() :]
        glued = bool(_GLUED.search(before[-1:])) and not before.endswith((", ", ". "))
        glued |= bool(re.match(r"[A-Za-z]|[/:]\d|\.\d|-\d| ?/ ?\d|st\b|nd\b|rd\b|th\b", after))
        free = not glued and value > 1 and value not in _YEARS
        percent = bool(re.match(r" ?%| percent", after))
        found.append(Token(match.start(), match.end(), match[0], value, free, percent))
    return found


def said_in_words(question: str, value: Fraction) -> bool:
    """Whether the question has a word that stands for `value`."""
    words = WORDS.get(int(value)) if value.denominator == 1 else r"half|quarter|third|fifth|percent|%"
    return words is not None and re.search(rf"(?:\b|(?=[$%]))(?:{words})", question, re.IGNORECASE) is not None


def written(value: Fraction, like: Token) -> str:
    """`value` as `like` is written: with as many decimals, and commas where it has or needs them."""
    text = f"{float(value):,.{like.decimals}f}"
    return text if "," in like.text or value >= 10_000 else text.replace(",", "")
