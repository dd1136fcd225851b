"""What is known of each arm (family x generator level x source): decayed moments of unselected groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt

from curriculum.posterior import Prior, p_above, shrunk_prior
from warehouse.records import JsonValue

FloatArray = npt.NDArray[np.float64]
COLUMNS = ("weight", "first", "second", "n", "c")


class Arms:
    """Sums over an arm's unselected groups, and its counts over all groups; all decayed each step."""

    def __init__(self, arms: Sequence[str], family: npt.NDArray[np.int32], decay: float) -> None:
        self.names, self.family, self._decay = tuple(arms), family, decay
        self.sums = {name: np.zeros(len(self.names)) for name in COLUMNS}
        self.step = 0

    def add(
        self,
        arm: npt.NDArray[np.int32],
        n: FloatArray,
        c: FloatArray,
        selected: npt.NDArray[np.bool_],
        step: int,
    ) -> None:
        """Fold the groups of one step in: mu = E[c/G], second moment = E[c(c-1)/(G(G-1))], decayed a step."""
        if step > self.step:
            for name in COLUMNS:
                self.sums[name] *= self._decay ** (step - self.step)
            self.step = step
        free = ~selected
        width = len(self.names)
        for name, value in (("weight", np.ones(len(n))), ("first", c / n), ("second", c * (c - 1) / (n * (n - 1)))):
            self.sums[name] += np.bincount(arm[free], weights=value[free], minlength=width)
        self.sums["n"] += np.bincount(arm, weights=n, minlength=width)
        self.sums["c"] += np.bincount(arm, weights=c, minlength=width)

    def prior(self, strength: float) -> Prior:
        """Each arm's Beta prior, shrunk to its family and to all arms."""
        return shrunk_prior(self.sums["weight"], self.sums["first"], self.sums["second"], self.family, strength)

    def dead(self) -> npt.NDArray[np.bool_]:
        """Arms whose pass rate is below .05 with 95 % certainty over their recent rollouts."""
        return np.asarray(p_above(self.sums["c"], self.sums["n"] - self.sums["c"], 0.05) < 0.05)

    def state(self) -> dict[str, JsonValue]:
        return {"arms": list(self.names), "step": self.step, **{k: v.tolist() for k, v in self.sums.items()}}

    def restore(self, state: Mapping[str, JsonValue]) -> None:
        """Take over the sums of arms that this pool has too."""
        names = state["arms"]
        place = {str(name): i for i, name in enumerate(names)} if isinstance(names, Sequence) else {}
        self.step = int(str(state["step"]))
        for column in COLUMNS:
            values = np.asarray(state[column], dtype=np.float64)
            self.sums[column] = np.array([values[place[a]] if a in place else 0.0 for a in self.names])
