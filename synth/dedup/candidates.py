"""Which kept texts are worth comparing with a new one: all of a small block, MinHash neighbours in a large one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from hashlib import blake2b

import numpy as np
from numpy.typing import NDArray

from synth.dedup.reading import Reading
from synth.dedup.sameness import CARRYING_NUMBERS, shingles
from synth.dedup.vectors import Vectors

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

    __slots__ = ("_bands", "_contents", "_words", "numbers", "readings", "vectors")

    def __init__(self) -> None:
        self.numbers: list[int] = []
        self.readings: list[Reading] = []
        self._bands: dict[bytes, list[int]] | None = None
        self._contents: dict[frozenset[str], list[int]] = {}
        self._words: list[frozenset[str]] = []
        self.vectors = Vectors()

    def add(self, number: int, reading: Reading, vector: NDArray[np.float32] | None) -> None:
        """Remember a kept text and, where there is one, its embedding."""
        place = len(self.numbers)
        self.numbers.append(number)
        self.readings.append(reading)
        if vector is not None:
            self.vectors.add(vector)
        if self._bands is not None:
            self._enter(place, self._bands)
        elif place >= SMALL_BLOCK:
            self._bands = {}
            for earlier in range(place + 1):
                self._enter(earlier, self._bands)

    def candidates(self, reading: Reading) -> Sequence[int]:
        """Places of kept texts that may be duplicates of `reading`, oldest first."""
        if self._bands is None:
            return range(len(self.numbers))
        mine = frozenset(reading.words)
        found = set(self._contents.get(mine, ()))
        for band in bands(reading):
            found.update(self._bands.get(band, ()))
        if len(reading.numbers) >= CARRYING_NUMBERS:
            return sorted(found)
        # Without numbers one text must hold the other's words, and that is cheap to see.
        words = self._words
        return sorted(place for place in found if mine <= words[place] or words[place] <= mine)

    def _enter(self, place: int, known: dict[bytes, list[int]]) -> None:
        reading = self.readings[place]
        words = frozenset(reading.words)
        self._words.append(words)
        self._contents.setdefault(words, []).append(place)
        for band in bands(reading):
            crowd = known.setdefault(band, [])
            if len(crowd) < CROWD:
                crowd.append(place)


def signature(reading: Reading) -> NDArray[np.uint64]:
    """MinHash of the text's shingles: BANDS * ROWS values, each equal in two texts with probability = overlap."""
    hashes = np.fromiter((_hash(shingle) for shingle in shingles(reading.words)), np.uint64)
    if not len(hashes):
        return np.zeros(BANDS * ROWS, np.uint64)
    mixed: NDArray[np.uint64] = hashes[:, None] * _SCALE + _SHIFT
    mixed ^= mixed >> np.uint64(31)
    result: NDArray[np.uint64] = (mixed * _SCALE).min(axis=0)
    return result


@lru_cache(maxsize=4)
def bands(reading: Reading) -> list[bytes]:
    """The keys under which a text is found again: eight bytes for each band."""
    rows = signature(reading).reshape(BANDS, ROWS)
    keys = np.arange(BANDS, dtype=np.uint64)
    for column in range(ROWS):
        keys ^= keys >> np.uint64(29)
        keys *= np.uint64(0xBF58476D1CE4E5B9)
        keys += rows[:, column]
    packed = keys.tobytes()
    return [packed[start : start + 8] for start in range(0, len(packed), 8)]


def _hash(shingle: tuple[str, ...]) -> int:
    digest = blake2b(" ".join(shingle).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return int.from_bytes(digest, "little")
