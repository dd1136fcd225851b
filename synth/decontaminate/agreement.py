"""How far two texts agree in what they count and in the rare words they count it with."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from synth.dedup.reading import Reading

PRIOR_TEXTS = 200
"""Imagined texts behind every rarity, so that a benchmark of one item weighs its words evenly."""

ENOUGH_RARITY = 20.0
"""Nats of agreeing numbers above which more say nothing new."""

_INK = 12


@dataclass(frozen=True, slots=True)
class Agreement:
    """Likeness of each text (row) with each benchmark item (column).

    `words` is the cosine of rarity-weighted content words in [0, 1], `numbers` the rarity-weighted Jaccard index of
    the numbers in [0, 1], `rarity` the rarity of the numbers in common, in nats.
    """

    words: NDArray[np.float32]
    numbers: NDArray[np.float32]
    rarity: NDArray[np.float32]


class Rarities:
    """Rarity of words and numbers among benchmark items, and the items as sparse rows."""

    def __init__(self, readings: Sequence[Reading]) -> None:
        self._n = len(readings)
        self._words = Counter(word for reading in readings for word in set(reading.words))
        self._numbers = Counter(number for reading in readings for number in set(occurrences(reading)))
        self._word_column = {word: column for column, word in enumerate(self._words)}
        self._number_column = {number: column for column, number in enumerate(self._numbers)}
        self._item_words = self._word_rows(readings)
        self._item_numbers, self._item_weights = self._number_rows(readings)

    def agreement(self, readings: Sequence[Reading]) -> Agreement:
        """Likeness of `readings` with every benchmark item: three arrays [n texts, n items]."""
        words = (self._word_rows(readings) @ self._item_words.T).toarray()
        rows, weights = self._number_rows(readings)
        rarity = (rows @ (self._item_numbers > 0).astype(np.float32).T).toarray()
        either = weights[:, None] + self._item_weights[None, :] - rarity
        numbers = np.divide(rarity, either, out=np.zeros_like(rarity), where=either > 0)
        return Agreement(words.astype(np.float32), numbers.astype(np.float32), rarity.astype(np.float32))

    def word_rarity(self, word: str) -> float:
        """-log of the share of benchmark items with `word`, in nats."""
        return math.log((self._n + PRIOR_TEXTS) / (self._words.get(word, 0) + 1))

    def number_rarity(self, number: tuple[str, int]) -> float:
        """The same for the k-th occurrence of a number; small numbers are common everywhere."""
        small = number[0].isdigit() and int(number[0]) <= _INK
        prior = 0.1 * PRIOR_TEXTS if small else 0.0
        return math.log((self._n + PRIOR_TEXTS) / (self._numbers.get(number, 0) + 1 + prior))

    def _word_rows(self, readings: Sequence[Reading]) -> sparse.csr_matrix:
        entries: list[tuple[int, int, float]] = []
        norms = np.ones(max(len(readings), 1))
        for row, reading in enumerate(readings):
            found = {word: self.word_rarity(word) for word in set(reading.words)}
            norms[row] = math.sqrt(sum(value * value for value in found.values())) or 1.0
            entries += [
                (row, self._word_column[word], value / norms[row])
                for word, value in found.items()
                if word in self._word_column
            ]
        return _rows(entries, len(readings), len(self._word_column))

    def _number_rows(self, readings: Sequence[Reading]) -> tuple[sparse.csr_matrix, NDArray[np.float32]]:
        entries: list[tuple[int, int, float]] = []
        weights = np.zeros(len(readings), np.float32)
        for row, reading in enumerate(readings):
            found = {number: self.number_rarity(number) for number in occurrences(reading)}
            weights[row] = sum(found.values())
            entries += [
                (row, self._number_column[number], value)
                for number, value in found.items()
                if number in self._number_column
            ]
        return _rows(entries, len(readings), len(self._number_column)), weights


def occurrences(reading: Reading) -> list[tuple[str, int]]:
    """The numbers of a text, each with how often it was said before; 1 is left out, it is often a pronoun."""
    seen: Counter[str] = Counter()
    found: list[tuple[str, int]] = []
    for number, _ in reading.numbers:
        if number != "1":
            found.append((number, seen[number]))
            seen[number] += 1
    return found


def order_agreement(left: Reading, right: Reading) -> float:
    """2 * L / (m + n) with L the longest common subsequence of the two texts' m and n numbers; 0 without any.

    >>> from synth.dedup.reading import read
    >>> order_agreement(read("4 of 10 and 7"), read("4 of 7 and 10"))
    0.6666666666666666
    """
    mine = [number for number, _ in left.numbers if number != "1"]
    theirs = [number for number, _ in right.numbers if number != "1"]
    if not mine or not theirs:
        return 0.0
    row = [0] * (len(theirs) + 1)
    for number in mine:
        previous = 0
        for place, other in enumerate(theirs, 1):
            previous, row[place] = row[place], previous + 1 if number == other else max(row[place], row[place - 1])
    return 2 * row[-1] / (len(mine) + len(theirs))


def _rows(entries: Iterable[tuple[int, int, float]], n_rows: int, n_columns: int) -> sparse.csr_matrix:
    found = list(entries)
    rows, columns, values = zip(*found, strict=True) if found else ((), (), ())
    return sparse.csr_matrix((np.array(values, np.float32), (rows, columns)), shape=(n_rows, max(n_columns, 1)))
