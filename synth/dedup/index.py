"""The texts kept so far, and which of them a new text repeats."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from blake3 import blake3
from numpy.typing import NDArray

from synth.dedup.candidates import Block
from synth.dedup.embedder import Embedder
from synth.dedup.reading import Reading, read
from synth.dedup.sameness import (
    CARRYING_NUMBERS,
    SHORT_WORDS,
    Reason,
    compare,
    exact_difference,
    may_mean_the_same,
    remainders,
)
from synth.dedup.spelling import normal_form
from synth.dedup.vectors import WORTH_FORESEEING, Seen
from warehouse.errors import UserError

NEAR = 0.6
"""Default least overlap of a near duplicate."""

COSINE = 0.85
"""Default least cosine of a semantic duplicate."""

REMAINDER_COSINE = 0.7
"""Least cosine of the words in which two texts without numbers differ."""

_CHUNK = 4096


class Match(NamedTuple):
    """The kept text that a text repeats, how alike they are in [0, 1], and why it counts."""

    kept: int
    similarity: float
    reason: Reason


class Index:
    """Kept texts, searched by exact form, by overlap and by meaning; adding in the same order gives the same answer.

    A text becomes a kept one exactly when it repeats no kept text, so that likeness never chains: each duplicate
    is alike to its own representative. `near` is the least Jaccard overlap, `cosine` the least semantic likeness,
    both in (0, 1]. `semantic` is optional; without it only wording is compared.
    """

    def __init__(self, *, near: float = NEAR, cosine: float = COSINE, semantic: Embedder | None = None) -> None:
        for name, value in (("near", near), ("cosine", cosine)):
            if not 0 < value <= 1:
                raise UserError(f"{name} is {value}, must be in (0, 1]; see: gradatim synth --help")
        self._near, self._cosine, self._semantic = near, cosine, semantic
        self._exact: dict[bytes, int] = {}
        self._blocks: dict[bytes, Block] = {}
        self._golds: dict[int, str] = {}
        self._n = self._n_kept = 0

    def __len__(self) -> int:
        """How many texts are kept."""
        return self._n_kept

    def lookup(self, text: str, *, gold: str | None = None) -> Match | None:
        """What adding `text` would say, without adding it."""
        return self._find(normal_digest(text), read(text), gold, self._embed([text])[0]) if text.strip() else None

    def add(self, text: str, *, gold: str | None = None) -> Match | None:
        """The kept text that `text` repeats; `None` when it is new, and is now kept itself.

        Texts are numbered in the order of adding, from 0. Different golds make different tasks,
        unless the texts are identical. An empty text says nothing and repeats nothing.
        """
        return self.add_many([text], golds=[gold])[0]

    def add_many(self, texts: Sequence[str], *, golds: Sequence[str | None] | None = None) -> list[Match | None]:
        """`add` for each text in order."""
        answers = golds if golds is not None else [None] * len(texts)
        if len(answers) != len(texts):
            raise UserError(f"{len(answers)} golds for {len(texts)} texts, must be one each; see: synth.dedup")
        found: list[Match | None] = []
        for start in range(0, len(texts), _CHUNK):
            chunk = texts[start : start + _CHUNK]
            vectors = self._embed(chunk)
            foreseen = self._foresee(chunk, vectors)
            for row, (text, gold) in enumerate(zip(chunk, answers[start : start + _CHUNK], strict=True)):
                found.append(self._add(text, gold, vectors[row], foreseen.get(row)))
        return found

    def _foresee(self, texts: Sequence[str], vectors: Sequence[NDArray[np.float32] | None]) -> dict[int, Seen]:
        """What the large blocks already hold that is like each text, block by block."""
        rows: dict[bytes, list[int]] = defaultdict(list)
        for row, text in enumerate(texts if self._semantic is not None else ()):
            rows[read(text).exact].append(row)
        found: dict[int, Seen] = {}
        for exact, own in rows.items():
            block = self._blocks.get(exact)
            if block is not None and len(block.vectors) >= WORTH_FORESEEING:
                matrix = np.stack([vector for row in own if (vector := vectors[row]) is not None])
                found |= dict(zip(own, block.vectors.foresee(matrix, self._cosine), strict=True))
        return found

    def _embed(self, texts: Sequence[str]) -> Sequence[NDArray[np.float32] | None]:
        if self._semantic is None:
            return [None] * len(texts)
        return list(self._semantic.embed(texts))

    def _add(self, text: str, gold: str | None, vector: NDArray[np.float32] | None, seen: Seen | None) -> Match | None:
        digest, number = normal_digest(text), self._n
        self._n += 1
        if not text.strip():
            self._n_kept += 1
            return None
        if (same := self._exact.get(digest)) is not None:
            return Match(same, 1.0, Reason.EXACT)
        reading = read(text)
        if match := self._find(digest, reading, gold, vector, seen):
            return match
        self._n_kept += 1
        self._exact[digest] = number
        if gold is not None:
            self._golds[number] = gold
        if reading.n_words >= SHORT_WORDS:
            self._blocks.setdefault(reading.exact, Block()).add(number, reading, vector)
        return None

    def _find(
        self,
        digest: bytes,
        reading: Reading,
        gold: str | None,
        vector: NDArray[np.float32] | None,
        seen: Seen | None = None,
    ) -> Match | None:
        if (same := self._exact.get(digest)) is not None:
            return Match(same, 1.0, Reason.EXACT)
        block = self._blocks.get(reading.exact)
        if block is None or reading.n_words < SHORT_WORDS:
            return None
        best: Match | None = None
        for place in block.candidates(reading):
            number = block.numbers[place]
            if self._other_gold(number, gold):
                continue
            likeness = compare(reading, block.readings[place])
            if likeness.difference is None and likeness.overlap >= self._near:
                best = _better(best, Match(number, likeness.overlap, Reason.NEAR))
        if best is None and vector is not None:
            best = self._find_meaning(block, reading, gold, block.vectors.alike(vector, self._cosine, seen))
        return best

    def _find_meaning(
        self, block: Block, reading: Reading, gold: str | None, alike: Sequence[tuple[int, float]]
    ) -> Match | None:
        best: Match | None = None
        for place, cosine in alike:
            number, other = block.numbers[place], block.readings[place]
            if self._other_gold(number, gold):
                continue
            if self._means_the_same(reading, other, self._same_gold(number, gold)):
                best = _better(best, Match(number, cosine, Reason.SEMANTIC))
        return best

    def _means_the_same(self, reading: Reading, other: Reading, same_gold: bool) -> bool:
        """Whether likeness of the texts is one of the tasks: by equal golds, or by the words that differ."""
        if same_gold and len(reading.numbers) >= CARRYING_NUMBERS:
            return exact_difference(reading, other) is None
        if not may_mean_the_same(reading, other):
            return False
        mine, theirs = remainders(reading, other)
        if len(reading.numbers) >= CARRYING_NUMBERS or mine == theirs == "":
            return True
        if self._semantic is None or not mine or not theirs:
            return False
        left, right = self._semantic.embed([mine, theirs])
        return float(left @ right) >= REMAINDER_COSINE

    def _same_gold(self, number: int, gold: str | None) -> bool:
        return gold is not None and self._golds.get(number) == gold

    def _other_gold(self, number: int, gold: str | None) -> bool:
        known = self._golds.get(number)
        return known is not None and gold is not None and known != gold


def _better(best: Match | None, new: Match) -> Match:
    return new if best is None or (new.similarity, -new.kept) > (best.similarity, -best.kept) else best


def normal_digest(text: str) -> bytes:
    """Identity of a text up to its normal form."""
    return blake3(normal_form(text).encode("utf-8", "surrogatepass")).digest(16)
