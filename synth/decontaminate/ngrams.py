"""Runs of words that a text shares with a benchmark item."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

_WORD = re.compile(r"\w+(?:[.,]\d+)*|[-+*/=<>^%]")


class NGrams:
    """Every run of n words of every benchmark item; items with fewer words are one run as long as they are.

    Items with fewer than `shortest` words are left to the exact check: their words are everybody's.
    """

    def __init__(self, texts: Sequence[str], *, n: int, shortest: int) -> None:
        self._n, self._shortest = n, shortest
        self._items: dict[tuple[str, ...], list[int]] = defaultdict(list)
        self._counts: list[int] = []
        self._lengths: set[int] = set()
        for number, text in enumerate(texts):
            found = set(self._runs(words(text)))
            self._counts.append(len(found))
            self._lengths.update(len(run) for run in found)
            for run in found:
                self._items[run].append(number)

    def shares(self, text: str) -> dict[int, float]:
        """For each benchmark item with a run in `text`, the share of the item's runs found there, in (0, 1]."""
        spoken = words(text)
        found: Counter[int] = Counter()
        for length in self._lengths:
            for run in set(_windows(spoken, length)):
                found.update(self._items.get(run, ()))
        return {number: count / self._counts[number] for number, count in found.items()}

    def _runs(self, spoken: list[str]) -> list[tuple[str, ...]]:
        if len(spoken) < self._shortest:
            return []
        return _windows(spoken, min(self._n, len(spoken)))


def words(text: str) -> list[str]:
    """Words, numbers and operators of `text`, case folded."""
    return [word.replace(",", "") for word in _WORD.findall(text.casefold())]


def _windows(spoken: Sequence[str], n: int) -> list[tuple[str, ...]]:
    return [tuple(spoken[start : start + n]) for start in range(len(spoken) - n + 1)]
