"""Tasks never drawn: alike within an arm, so that ten million of them cost as little as their arms."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from curriculum.ledger import Ledger
from curriculum.schedulers.protocol import Pool

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


class Unseen:
    """Each arm's tasks in a random order fixed by the seed; what the ledger has a row for is skipped."""

    def __init__(self, pool: Pool, ledger: Ledger, seed: int) -> None:
        self._ledger = ledger
        self._width = len(pool.arms)
        self._pool_arm = pool.arm
        shuffled = np.random.default_rng([seed, len(pool)]).permutation(len(pool)).astype(np.int32)
        self._order = shuffled[np.argsort(pool.arm[shuffled], kind="stable")]
        self.sizes = np.bincount(pool.arm, minlength=self._width)
        self._stop = np.cumsum(self.sizes)
        self.rewind()

    def rewind(self) -> None:
        """Look from the start again: the ledger was replaced."""
        self._next = self._stop - self.sizes
        self._counted, self._left = 0, self.sizes.astype(np.int64)

    def left(self) -> IntArray:
        """Unseen tasks of each arm; the ledger only grows, so that its new rows are all there is to count."""
        new = self._ledger.ints("position")[self._counted :]
        if len(new):
            self._left = self._left - np.bincount(self._pool_arm[new], minlength=self._width)
            self._counted += len(new)
        return self._left

    def mean_of(self, values: FloatArray) -> FloatArray:
        """The mean of a per-task value over each arm; 1 for an arm without tasks."""
        sums = np.bincount(self._pool_arm, weights=values, minlength=self._width)
        return np.where(self.sizes > 0, sums / np.maximum(self.sizes, 1), 1.0)

    def candidates(self, logits: FloatArray, k: int, rng: np.random.Generator) -> tuple[IntArray, FloatArray]:
        """The arms and Gumbel keys of each arm's k best unseen tasks, as if every unseen task had drawn its own key.

        The j-th largest of M Gumbels is -log of the j-th smallest of M exponentials, and their gaps are
        Exp/(M-j+1): exact without touching the tasks.
        """
        left = self.left()
        arms = np.flatnonzero(left > 0)
        if len(arms) == 0:
            return np.zeros(0, dtype=np.int64), np.zeros(0)
        depth = min(k, int(left.max()))
        below = left[arms][:, None] - np.arange(depth)[None, :]
        gaps = rng.exponential(size=(len(arms), depth)) / np.maximum(below, 1)
        keys = logits[arms][:, None] - np.log(np.cumsum(gaps, axis=1))
        real = below > 0
        return np.repeat(arms, real.sum(axis=1)), keys[real]

    def take(self, arm: int) -> int | None:
        """The arm's next unseen task, from now on seen; None when there is none."""
        i, stop = int(self._next[arm]), int(self._stop[arm])
        while i < stop and self._ledger.seen(self._order[i]):
            i += 1
        self._next[arm] = min(i + 1, stop)
        if i >= stop:
            return None
        self._ledger.append(self._order[i : i + 1])
        return int(self._order[i])
