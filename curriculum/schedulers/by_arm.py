"""Drawing by arm: how many tasks each arm gives, then uniformly within it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from curriculum.schedulers.drawing import filled
from curriculum.schedulers.protocol import Draw, Pool

FloatArray = npt.NDArray[np.float64]


class ArmIndex:
    """Each arm's positions in the pool."""

    def __init__(self, pool: Pool) -> None:
        self._order = np.argsort(pool.arm, kind="stable")
        self.sizes = np.bincount(pool.arm, minlength=len(pool.arms))
        self._start = np.cumsum(self.sizes) - self.sizes

    def draws(self, share: FloatArray, n: int, rng: np.random.Generator, score: FloatArray, reason: str) -> list[Draw]:
        """n tasks: arms by `share` (arms without tasks get none), tasks uniformly and distinct within an arm.

        What an exhausted arm cannot give goes to the others.
        """
        weight = np.where(self.sizes > 0, np.maximum(share, 0.0), 0.0)
        weight = weight if weight.sum() > 0 else (self.sizes > 0).astype(np.float64)
        wanted = np.minimum(rng.multinomial(n, weight / weight.sum()), self.sizes)
        while wanted.sum() < min(n, self.sizes.sum()):
            room = self.sizes - wanted
            more = rng.multinomial(n - wanted.sum(), room / room.sum())
            wanted = np.minimum(wanted + more, self.sizes)
        draws = []
        for arm in np.flatnonzero(wanted):
            for i in rng.choice(self.sizes[arm], size=wanted[arm], replace=False):
                place = int(self._order[self._start[arm] + i])
                draws.append(Draw(place, float("nan"), float(score[arm]), reason))
        return filled(draws, n)


def softmax(x: FloatArray, temperature: float) -> FloatArray:
    """exp(x / T), normalised."""
    z = np.exp((x - x.max()) / temperature)
    return np.asarray(z / z.sum())
