"""Search of texts for the items of a benchmark."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from synth.decontaminate.agreement import ENOUGH_RARITY, Agreement, Rarities, order_agreement
from synth.decontaminate.match import Match, Reason
from synth.decontaminate.ngrams import NGrams
from synth.dedup import Embedder
from synth.dedup.reading import Reading, read
from synth.dedup.spelling import normal_form

NGRAM = 13
"""Words of a run that gives an item away."""

SHORTEST = 6
"""Items with fewer words are found only by exact form."""

NGRAM_SHARE = 0.5
"""Least share of an item's runs found in a text."""

WEIGHTS = {"words": 16.2, "numbers": 5.1, "rarity": 5.5, "order": 4.4}
"""What each agreement adds to the score of a rewording, in logits."""

REWORDED = 13.75
"""Least score of a rewording found without an embedder."""

NUMBERS_WITH_MEANING = 0.15
"""What agreeing numbers add to the cosine of meaning."""

SEMANTIC = 0.875
"""Least cosine, numbers added, of a rewording found by meaning."""

_CELLS = 4_000_000


class Benchmark:
    """A benchmark's items, ready to be searched for in any number of texts.

    `n` is the length of the word runs that count as copying; an item is copied where a text holds `ngram_share` of
    its runs. `semantic` is optional: with it, rewordings are found by meaning and numbers, without it by the score of
    agreeing numbers, their order and rare words. Both rules were set on GSM8K: its rephrased test split against its
    training split. `names` say which item each text is; a text's place is its name where there are none.
    """

    def __init__(
        self,
        texts: Sequence[str],
        *,
        semantic: Embedder | None = None,
        n: int = NGRAM,
        ngram_share: float = NGRAM_SHARE,
        reworded: float = REWORDED,
        cosine: float = SEMANTIC,
        names: Sequence[str] = (),
    ) -> None:
        self._names = tuple(names) or tuple(map(str, range(len(texts))))
        self._ngram_share, self._reworded, self._cosine = ngram_share, reworded, cosine
        self._exact = {normal_form(text): number for number, text in reversed(list(enumerate(texts)))}
        self._exact.pop("", None)
        self._ngrams = NGrams(texts, n=n, shortest=SHORTEST)
        self._readings = [read(text) for text in texts]
        self._long = np.array([reading.n_words >= SHORTEST for reading in self._readings], bool)
        self._rarities = Rarities(self._readings)
        self._semantic = semantic
        self._vectors = semantic.embed(texts) if semantic is not None and texts else None

    def name_of(self, match: Match) -> str:
        """Which item was matched."""
        return self._names[match.benchmark_index]

    def find(self, texts: Sequence[str]) -> list[Match]:
        """For each text that gives an item away, the strongest match; ordered by text.

        What is said of a text depends on it and the benchmark alone, not on the other texts.
        """
        if not self._readings:
            return []
        step = max(1, _CELLS // len(self._readings))
        found: list[Match] = []
        for start in range(0, len(texts), step):
            found += self._find(texts[start : start + step], start)
        return found

    def _find(self, texts: Sequence[str], first: int) -> list[Match]:
        readings = [read(text) for text in texts]
        agreement = self._rarities.agreement(readings)
        cosines = (
            self._semantic.embed(texts) @ self._vectors.T if self._semantic and self._vectors is not None else None
        )
        found: list[Match] = []
        for row, text in enumerate(texts):
            match = self._copied(text, first + row)
            if match is None and readings[row].n_words >= SHORTEST:
                if cosines is None:
                    match = self._reworded_item(readings[row], row, agreement, first)
                else:
                    match = self._same_meaning(row, cosines[row], agreement, first)
            if match is not None:
                found.append(match)
        return found

    def _copied(self, text: str, index: int) -> Match | None:
        if (same := self._exact.get(normal_form(text))) is not None:
            return Match(index, same, 1.0, Reason.EXACT)
        shares = self._ngrams.shares(text)
        best = max(shares, key=lambda number: (shares[number], -number), default=None)
        if best is None or shares[best] < self._ngram_share:
            return None
        return Match(index, best, shares[best], Reason.NGRAM)

    def _reworded_item(self, reading: Reading, row: int, agreement: Agreement, first: int) -> Match | None:
        partial = self._long * (
            WEIGHTS["words"] * agreement.words[row]
            + WEIGHTS["numbers"] * agreement.numbers[row]
            + WEIGHTS["rarity"] * np.minimum(agreement.rarity[row] / ENOUGH_RARITY, 1)
        )
        best: tuple[float, int] | None = None
        for item in np.flatnonzero(partial >= self._reworded - WEIGHTS["order"]):
            score = float(partial[item]) + WEIGHTS["order"] * order_agreement(reading, self._readings[item])
            if score >= self._reworded and (best is None or score > best[0]):
                best = (score, int(item))
        if best is None:
            return None
        return Match(first + row, best[1], min(1.0, best[0] / sum(WEIGHTS.values())), Reason.REWORDED)

    def _same_meaning(self, row: int, cosines: NDArray[np.float32], agreement: Agreement, first: int) -> Match | None:
        scores = self._long * (cosines + NUMBERS_WITH_MEANING * agreement.numbers[row])
        best = int(scores.argmax())
        if scores[best] < self._cosine:
            return None
        return Match(first + row, best, min(1.0, float(scores[best])), Reason.SEMANTIC)


def find(
    texts: Sequence[str],
    benchmark_texts: Sequence[str],
    *,
    semantic: Embedder | None = None,
    n: int = NGRAM,
    reworded: float = REWORDED,
    cosine: float = SEMANTIC,
) -> list[Match]:
    """The `texts` that give an item of `benchmark_texts` away, each with its strongest match and the reason.

    A text is a copy (exact form, or runs of `n` words), or a rewording: its numbers, their order and its rare words
    agree (score `reworded` or more), or, with an embedder as `semantic`, its meaning and numbers (`cosine` or more).

    >>> item = "A robe takes 2 bolts of blue fiber and half that much white fiber. How many bolts does it take?"
    >>> told = "A garment requires 2 bolts of blue fiber and half the white fiber. How many bolts in all?"
    >>> find([told], [item])[0].reason
    <Reason.REWORDED: 'reworded'>
    """
    return Benchmark(benchmark_texts, semantic=semantic, n=n, reworded=reworded, cosine=cosine).find(texts)
