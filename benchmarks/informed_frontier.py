"""The frontier when it is told every arm's true ability: the most that any knowledge of arms can win.

What is left between it and the oracle is knowledge of single tasks, which only their own groups can give.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
from scipy import special

from curriculum.schedulers import scheduler
from curriculum.schedulers.frontier import Frontier
from curriculum.schedulers.protocol import Draw

NORMAL_RATES = (0.005, 0.985)
"""Pass rates outside these are those of dead and trivial tasks, which say nothing of an arm."""


@scheduler("informed")
class InformedFrontier(Frontier):
    """Draws and learns of tasks as the frontier does; abilities are those revealed, without doubt."""

    _ability: npt.NDArray[np.float64]

    def reveal(self, pass_rates: npt.NDArray[np.float64]) -> None:
        """Take the ability of each arm, the median logit of its tasks that are neither dead nor trivial."""
        normal = (pass_rates > NORMAL_RATES[0]) & (pass_rates < NORMAL_RATES[1])
        logits = special.logit(pass_rates[normal])
        arm = self._pool.arm[normal]
        self._ability = self._abilities.ability.copy()
        for present in np.unique(arm):
            self._ability[present] = np.median(logits[arm == present])

    def draw(self, n: int, step: int) -> list[Draw]:
        self._abilities.ability = self._ability
        self._abilities.cov = np.eye(len(self._ability)) * 1e-6
        return super().draw(n, step)
