"""Packages about text: cleaning, words, counting, ranking, wrapping, codes, in a chain of steps."""

from __future__ import annotations

import random
import textwrap
from collections import Counter
from itertools import groupby
from typing import Any

from synth.environments.packages.blueprint import Blueprint, Part, Probe, assembled

CLEAN = '''
"""Text without what does not count."""

KEPT = "abcdefghijklmnopqrstuvwxyz0123456789$kept"


def cleaned(text):
    """The text in lower case with every other character as a blank."""
    out = []
    for char in text.lower():
        if char in KEPT:
            out.append(char)
        else:
            out.append(" ")
    return "".join(out)
'''
WORDS = '''
"""Words of a text."""

from $p.clean import cleaned

SHORTEST = $shortest
STOP = $stop


def words(text):
    """The words that count, in their order: long enough and no stop words."""
    return [word for word in cleaned(text).split() if len(word) >= SHORTEST and word not in STOP]
'''
COUNTS = '''
"""How often words occur."""

from $p.words import words


def counts(text):
    """Each word with the number of times that it occurs."""
    found = {}
    for word in words(text):
        found[word] = found.get(word, 0) + 1
    return found


def $top(text, k):
    """The k most frequent words, equal ones in the order of the alphabet."""
    found = counts(text)
    ranked = sorted(found, key=lambda word: (-found[word], word))
    return ranked[:k]
'''
WRAP = '''
"""Lines of a width."""


def wrapped(text, width):
    """The words of a text in lines of at most `width` characters; a longer word has a line of its own."""
    lines = []
    line = ""
    for word in text.split():
        if not line:
            line = word
        elif len(line) + 1 + len(word) <= width:
            line += " " + word
        else:
            lines.append(line)
            line = word
    if line:
        lines.append(line)
    return lines
'''
CODES = '''
"""Letters moved along the alphabet."""

SHIFT = $shift


def encoded(text):
    """The text with each letter moved on by SHIFT and by one more at each word."""
    out = []
    extra = 0
    for char in text:
        if char == " ":
            extra += 1
        if char.isalpha():
            first = ord("A") if char.isupper() else ord("a")
            char = chr((ord(char) - first + SHIFT + extra) % 26 + first)
        out.append(char)
    return "".join(out)
'''
RUNS = '''
"""Repeated characters, counted."""

LEAST = $runs


def packed(text):
    """The text with runs of at least LEAST equal characters written as character and number."""
    out = []
    place = 0
    while place < len(text):
        end = place
        while end < len(text) and text[end] == text[place]:
            end += 1
        size = end - place
        out.append(text[place] + str(size) if size >= LEAST else text[place] * size)
        place = end
    return "".join(out)
'''
SCORE = '''
"""How alike two texts are."""

from $p.counts import counts


def $alike(one, other):
    """Percent of the words of both texts, each counted once, that both have; 100 for two texts without words."""
    left, right = set(counts(one)), set(counts(other))
    if not left | right:
        return 100
    return 100 * len(left & right) // len(left | right)
'''
INDEX = '''
"""Where words stand."""

from $p.words import words


def index(pages):
    """Each word with the numbers of the pages, from 1, on which it occurs."""
    found = {}
    for number, page in enumerate(pages, 1):
        for word in words(page):
            places = found.setdefault(word, [])
            if number not in places:
                places.append(number)
    return found


def search(pages, query):
    """The numbers of the pages that have every word of the query; all pages for a query without words."""
    places = index(pages)
    hits = set(range(1, len(pages) + 1))
    for word in words(query):
        hits &= set(places.get(word, []))
    return sorted(hits)
'''
TABLE = '''
"""Columns of equal width."""

from $p.counts import counts, $top

GAP = $gap


def table(text, k):
    """A line for each of the k most frequent words: the word, filled up, and its number."""
    chosen = $top(text, k)
    width = max((len(word) for word in chosen), default=0) + GAP
    found = counts(text)
    return [word.ljust(width, ".") + str(found[word]) for word in chosen]
'''
VOCABULARY = [
    "the",
    "a",
    "of",
    "ox",
    "Rain",
    "rain,",
    "ship",
    "SHIP!",
    "sea",
    "sea-gull",
    "it's",
    "stone;",
    "stones",
    "wind",
    "and",
    "to",
    "red",
    "Red?",
    "old",
    "no",
    "42",
    "b2",
]


def build(rng: random.Random, size: int) -> Blueprint:
    """A package of 3 to 9 modules about words."""
    n: dict[str, Any] = {
        "kept": rng.choice(("", "-", "'")), "shortest": rng.choice((1, 2, 3)), "shift": rng.randint(1, 20),
        "stop": tuple(rng.sample(("the", "a", "of", "and", "to"), 3)), "runs": rng.choice((2, 3, 4)),
        "gap": rng.randint(2, 5), "top": rng.choice(("top", "most_frequent", "leading")),
        "alike": rng.choice(("alike", "similarity", "overlap")),
    }  # fmt: skip
    kept = set("abcdefghijklmnopqrstuvwxyz0123456789" + n["kept"])

    def words(text: str) -> list[str]:
        pieces = "".join("".join(run) if good else " " for good, run in groupby(text.lower(), kept.__contains__))
        return [word for word in pieces.split() if word not in n["stop"] and len(word) > n["shortest"] - 1]

    def top(text: str, k: int) -> list[str]:
        return [word for word, _ in sorted(sorted(Counter(words(text)).items()), key=lambda p: p[1], reverse=True)][:k]

    def encoded(text: str) -> str:
        alphabet = "abcdefghijklmnopqrstuvwxyz"
        coded = []
        for place, word in enumerate(text.split(" ")):
            by = (n["shift"] + place) % 26
            moved = alphabet[by:] + alphabet[:by]
            coded.append(word.translate(str.maketrans(alphabet + alphabet.upper(), moved + moved.upper())))
        return " ".join(coded)

    def packed(text: str) -> str:
        runs = [(char, len(list(run))) for char, run in groupby(text)]
        return "".join(f"{char}{size}" if size >= n["runs"] else char * size for char, size in runs)

    def alike(one: str, other: str) -> int:
        left, right = set(words(one)), set(words(other))
        return sum(word in right for word in left) * 100 // len({*left, *right}) if left or right else 100

    def index(pages: list[str]) -> dict[str, list[int]]:
        every = sorted({word for page in pages for word in words(page)})
        return {word: [i + 1 for i, page in enumerate(pages) if word in words(page)] for word in every}

    def search(pages: list[str], query: str) -> list[int]:
        return [i + 1 for i, page in enumerate(pages) if set(words(query)) <= set(words(page))]

    def table(text: str, k: int) -> list[str]:
        width = max([0, *map(len, top(text, k))]) + n["gap"]
        return [f"{word:.<{width}}{words(text).count(word)}" for word in top(text, k)]

    def some(r: random.Random, most: int = 9) -> str:
        return " ".join(r.choice(VOCABULARY) for _ in range(r.randint(0, most)))

    def letters(r: random.Random) -> str:
        return "".join(r.choice("abx") * r.randint(1, 5) for _ in range(r.randint(0, 5)))

    def wrapped(text: str, width: int) -> list[str]:
        return textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False)

    top_name, alike_name = n["top"], n["alike"]
    parts = [
        Part("clean", 1, CLEAN),
        Part("words", 1, WORDS, [Probe("words", "words", lambda r: (some(r),), words)]),
        Part(
            "counts", 1, COUNTS,
            [Probe("counts", "counts", lambda r: (some(r),), lambda t: dict(Counter(words(t)))),
             Probe("counts", top_name, lambda r: (some(r), r.randint(1, 4)), top)],
        ),
        Part("wrap", 2, WRAP, [Probe("wrap", "wrapped", lambda r: (some(r), r.randint(3, 14)), wrapped)]),
        Part("codes", 3, CODES, [Probe("codes", "encoded", lambda r: (some(r),), encoded)]),
        Part("runs", 3, RUNS, [Probe("runs", "packed", lambda r: (letters(r),), packed)]),
        Part("score", 4, SCORE, [Probe("score", alike_name, lambda r: (some(r, 5), some(r, 5)), alike)]),
        Part(
            "index", 4, INDEX,
            [Probe("index", "search", lambda r: ([some(r) for _ in range(3)], some(r, 2)), search),
             Probe("index", "index", lambda r: ([some(r, 4) for _ in range(2)],), index)],
        ),
        Part("table", 5, TABLE, [Probe("table", "table", lambda r: (some(r), r.randint(1, 4)), table)]),
    ]  # fmt: skip
    package = rng.choice(("wording", "scribe", "glossary", "reader"))
    return assembled(package, "Words of a text and what is made of them.", parts, n, size)
