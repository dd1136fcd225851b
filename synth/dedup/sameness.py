"""Whether two texts ask the same thing: exact parts compared exactly, wording by its overlap."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple

from synth.dedup.reading import Reading

SHORT_WORDS = 6
"""Texts with fewer words are duplicates only when identical."""

CARRYING_NUMBERS = 2
"""With at least this many numbers the numbers carry the task; with fewer, its content words do."""

ADDED_WORDS = 0.05
"""Largest share of a text's content words that the other may lack where numbers do not carry the task."""

REWORDED_OVERLAP = 0.15
"""Least lexical overlap under which a semantic likeness of a text with numbers counts."""

_SWAPPED = 6


class Reason(StrEnum):
    """Why a text is a duplicate of the kept one."""

    EXACT = "exact"
    NEAR = "near"
    SEMANTIC = "semantic"


class Likeness(NamedTuple):
    """Overlap in [0, 1] of the wording and what keeps the two texts apart: one of the two is 0 or `None`."""

    overlap: float
    difference: str | None


def shingles(words: Sequence[str]) -> set[tuple[str, ...]]:
    """Single words and pairs of neighbours: the set over which overlap is the Jaccard index."""
    return {(word,) for word in words} | set(pairwise(words))


def overlap(left: Reading, right: Reading) -> float:
    """Jaccard index |A & B| / |A | B| of the two texts' shingles, 0 when both are empty.

    >>> from synth.dedup.reading import read
    >>> overlap(read("red dogs run home"), read("red dogs run away"))
    0.5555555555555556
    """
    mine, theirs = shingles(left.words), shingles(right.words)
    either = len(mine | theirs)
    return len(mine & theirs) / either if either else 0.0


def exact_difference(left: Reading, right: Reading) -> str | None:
    """What the two texts do not share although duplicates must: numbers, literals, negations, poles, names."""
    if min(left.n_words, right.n_words) < SHORT_WORDS:
        return "too short"
    if left.literals != right.literals:
        return "literal text"
    if left.n_negations != right.n_negations:
        return "negation"
    if not _same_numbers(left, right):
        return "numbers"
    if _opposed(left.poles, right.poles):
        return "opposite words"
    if left.operations - right.operations and right.operations - left.operations:
        return "operations"
    if len(left.names) == len(right.names) and _pattern(left.names) != _pattern(right.names):
        return "roles of names"
    return None


def compare(left: Reading, right: Reading) -> Likeness:
    """Overlap of two texts and the first thing that makes them two tasks, if any."""
    difference = exact_difference(left, right) or _payload_difference(left, right)
    return Likeness(0.0 if difference else overlap(left, right), difference)


def _same_numbers(left: Reading, right: Reading) -> bool:
    mine, theirs = [n for n, _ in left.numbers], [n for n, _ in right.numbers]
    if mine == theirs:
        return True
    if sorted(mine) != sorted(theirs) or left.literals:
        return False
    # Told in another order, each number must still stand for the same thing, and only for that.
    return Counter(left.numbers) == Counter(right.numbers) and _unambiguous(left.numbers)


def _unambiguous(numbers: Sequence[tuple[str, str]]) -> bool:
    values: dict[str, set[str]] = defaultdict(set)
    for number, unit in numbers:
        values[unit].add(number)
    return "" not in values and all(len(found) == 1 for found in values.values())


def _opposed(left: frozenset[tuple[int, int]], right: frozenset[tuple[int, int]]) -> bool:
    for axis, pole in left ^ right:
        other = (axis, 1 - pole)
        if ((axis, pole) in left and other in right and other not in left) or (
            (axis, pole) in right and other in left and other not in right
        ):
            return True
    return False


def _pattern(names: Sequence[str]) -> list[int]:
    order: dict[str, int] = {}
    return [order.setdefault(name, len(order)) for name in names]


def _payload_difference(left: Reading, right: Reading) -> str | None:
    """Content words exchanged or added where they, not numbers, are what the task is about."""
    if left.words == right.words:
        return None
    if len(left.numbers) < CARRYING_NUMBERS:
        mine, theirs = Counter(left.words), Counter(right.words)
        longer, shorter = (mine, theirs) if len(left.words) >= len(right.words) else (theirs, mine)
        if not shorter <= longer or (longer - shorter).total() > ADDED_WORDS * longer.total():
            return "other words"
        if left.poles != right.poles:
            return "opposite words"
    return "exchanged words" if _exchanged(left.words, right.words) else None


def _exchanged(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether known words took one another's place: swapped within the text, or one asked for instead of the other.

    A phrase moved as a whole is a rewording, and so is a word that the other text does not know.
    """
    mine, theirs = Counter(left), Counter(right)
    if mine != theirs:
        gone, come = (mine - theirs).keys(), (theirs - mine).keys()
        return bool(gone and come) and gone <= theirs.keys() and come <= mine.keys()
    places = [place for place, pair in enumerate(zip(left, right, strict=True)) if pair[0] != pair[1]]
    if not 0 < len(places) <= _SWAPPED:
        return False
    pairs = Counter((left[place], right[place]) for place in places)
    swapped = pairs == Counter((other, one) for one, other in pairs.elements())
    return swapped or places[-1] - places[0] >= len(places)


def may_mean_the_same(left: Reading, right: Reading) -> bool:
    """Whether likeness of meaning may count: nothing exact differs, and numbers are told in words that overlap."""
    if exact_difference(left, right) or _exchanged(left.words, right.words):
        return False
    if len(left.numbers) >= CARRYING_NUMBERS:
        return overlap(left, right) >= REWORDED_OVERLAP
    return set(left.names) == set(right.names) and left.poles == right.poles and left.operations == right.operations


def remainders(left: Reading, right: Reading) -> tuple[str, str]:
    """The content words of each text that the other lacks, in order."""
    mine, theirs = set(left.words), set(right.words)
    return (
        " ".join(word for word in left.words if word not in theirs),
        " ".join(word for word in right.words if word not in mine),
    )
