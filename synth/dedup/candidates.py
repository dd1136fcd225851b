"""Which kept texts are worth comparing with a new one: all of a small block, MinHash neighbours in a large one."""

from __future__ import annotations

from collections import defaultdict
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from synth.dedup.reading import Reading
from synth.dedup.sameness import shingles

SMALL_BLOCK = 32
"""Blocks up to this size are compared in full."""

BANDS, ROWS = 32, 3
"""MinHash banding: a pair of overlap J is a candidate with probability 1 - (1 - J**3)**32."""

CROWD = 32
"""Texts remembered for one band value: a fuller one is a template, whose members differ in what they carry."""

_rng = np.random.default_rng(20260101)
_SCALE = _rng.integers(1, 2**63, BANDS * ROWS, dtype=np.uint64) | np.uint64(1)
_SHIFT = _rng.integers(0, 2**63, BANDS * ROWS, dtype=np.uint64)
del _rng


class Block:
    """Kept texts that share numbers, literals and negations."""

    __slots__ = ("_bands", "_contents", "_pending", "numbers")

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self._pending: list[Reading] = []
        self._bands: dict[tuple[int, bytes], list[int]] | None = None
        self._contents: dict[tuple[str, ...], list[int]] = defaultdict(list)

    def add(self, number: int, reading: Reading) -> None:
        """Remember a kept text."""
        self.numbers.append(number)
        self._pending.append(reading)
        if self._bands is None and len(self.numbers) <= SMALL_BLOCK:
            return
        if self._bands is None:
            self._bands = {}
        first = len(self.numbers) - len(self._pending)
        for place, waiting in enumerate(self._pending, first):
            for band in bands(waiting):
                crowd = self._bands.setdefault(band, [])
                if len(crowd) < CROWD:
                    crowd.append(self.numbers[place])
            self._contents[content(waiting)].append(self.numbers[place])
        self._pending.clear()

    def candidates(self, reading: Reading) -> list[int]:
        """Kept texts that may be duplicates of `reading`, oldest first."""
        if self._bands is None:
            return self.numbers
        found = set(self._contents.get(content(reading), ()))
        for band in bands(reading):
            found.update(self._bands.get(band, ()))
        return sorted(found)


def content(reading: Reading) -> tuple[str, ...]:
    """The content words of a text, each once, sorted."""
    return tuple(sorted(set(reading.words)))


def signature(reading: Reading) -> NDArray[np.uint64]:
    """MinHash of the text's shingles: BANDS * ROWS values, each equal in two texts with probability = overlap."""
    hashes = np.fromiter((_hash(shingle) for shingle in shingles(reading.words)), np.uint64)
    if not len(hashes):
        return np.zeros(BANDS * ROWS, np.uint64)
    mixed = hashes[:, None] * _SCALE + _SHIFT
    mixed ^= mixed >> np.uint64(31)
    result: NDArray[np.uint64] = (mixed * _SCALE).min(axis=0)
    return result


def bands(reading: Reading) -> list[tuple[int, bytes]]:
    """The keys under which a text is found again."""
    rows = signature(reading).reshape(BANDS, ROWS)
    return [(band, row.tobytes()) for band, row in enumerate(rows)]


def _hash(shingle: tuple[str, ...]) -> int:
    digest = blake2b(" ".join(shingle).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")
