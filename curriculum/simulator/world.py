"""A learner world: skills with prerequisites, tasks that practise them, and a policy that learns, forgets and crams."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import special

from curriculum.errors import CurriculumError
from curriculum.schedulers.protocol import Pool
from curriculum.simulator.priors import POOLS, Priors, Range

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

N_HELDOUT = 3000
NORMAL, DEAD, TRIVIAL, WRONG = range(4)


class Outcome(NamedTuple):
    """Groups sampled from the policy: observed passes, and how much each would teach (`signal`, may be negative)."""

    passes: IntArray
    signal: FloatArray


class World:
    """One world drawn by (seed, pool): p = sigmoid(ability[arm] - difficulty + rote) for normal tasks.

    Dead tasks never pass, trivial ones nearly always; tasks with a wrong gold pass by a rate of their own and
    teach the wrong way. A group teaches 2 cov(verdict, truth) / sd(verdict), which is 2 sqrt(p(1-p)) at the
    group's own rate when the verifier is right: the mean absolute GRPO advantage times what it is about.
    """

    def __init__(self, pool: str, seed: int, *, n_tasks: int | None = None, priors: Priors | None = None) -> None:
        if pool not in POOLS:
            raise CurriculumError(f"unknown pool '{pool}'; known: {', '.join(sorted(POOLS))}")
        shape, priors = POOLS[pool], priors or Priors()
        rng = np.random.default_rng([20_260, seed])
        drawn = {name: float(rng.uniform(r.low, r.high)) for name, r in _ranges(priors)}
        self.rate, self.forgetting, self.reuse, self.rote = (drawn[k] for k in ("rate", "forgetting", "reuse", "rote"))
        self.false_pass, self.false_fail, self.gate = drawn["false_pass"], drawn["false_fail"], drawn["gate"]
        n_families, n_levels = round(drawn["n_families"]), round(drawn["n_levels"])
        size = n_tasks or int(10 ** drawn["log10_tasks"])
        width = n_families * n_levels
        self.family, self.level = np.divmod(np.arange(width), n_levels)
        base = shape.centre + drawn["level_step"] * (self.level - (n_levels - 1) / 2)
        self.ability0 = rng.uniform(priors.start.low, priors.start.high, n_families)[self.family]
        self.ability = self.ability0.copy()
        near = np.exp(-np.abs(self.level[:, None] - self.level[None, :]) / drawn["transfer"])
        same = self.family[:, None] == self.family[None, :]
        self.transfer = near * np.where(same, 1.0, drawn["cross"])
        popularity = rng.dirichlet(np.full(width, 5.0))
        self.arm = rng.choice(width, size=size, p=popularity)
        self.difficulty = base[self.arm] + drawn["spread"] * rng.standard_normal(size)
        wrong = drawn["wrong"]
        rest = 1 - shape.dead - shape.trivial - wrong
        self.kind = rng.choice(4, size=size, p=[rest, shape.dead, shape.trivial, wrong])
        self.own_rate = np.where(self.kind == TRIVIAL, rng.uniform(0.97, 1.0, size), rng.beta(0.5, 4.0, size))
        self.learnt = np.zeros(size)
        self.informative = np.zeros(size, dtype=np.int64)
        self.heldout_arm = rng.choice(width, size=N_HELDOUT, p=popularity)
        self.heldout_difficulty = base[self.heldout_arm] + drawn["spread"] * rng.standard_normal(N_HELDOUT)
        label = rng.permutation(self.arm) if shape.shuffled else self.arm
        cost = np.exp(drawn["cost_spread"] * rng.standard_normal(size) + 0.1 * self.level[label])
        names = tuple(f"f{f}/{lv}/sim" for f, lv in zip(self.family, self.level, strict=True))
        self.pool = Pool(
            task_ids=np.array([f"{pool}-{seed}-{i}" for i in range(size)], dtype=object),
            arm=label.astype(np.int32),
            arms=names,
            family=self.family.astype(np.int32),
            level=self.level[label].astype(np.int32),
            cost=cost / cost.mean(),
        )

    def pass_rates(self, at: IntArray | slice = slice(None)) -> FloatArray:
        """Chance that a rollout of each task passes the verifier now."""
        kind = self.kind[at]
        p = special.expit(self.ability[self.arm[at]] - self.difficulty[at] + self.learnt[at])
        p = np.where(kind == DEAD, 0.0, np.where(kind == NORMAL, p, self.own_rate[at]))
        noisy = p * (1 - self.false_fail) + (1 - p) * self.false_pass
        return np.asarray(np.where(kind == DEAD, 0.0, noisy))

    def score(self) -> float:
        """Mean pass rate of the held-out tasks, all of them sound, measured without noise."""
        return float(special.expit(self.ability[self.heldout_arm] - self.heldout_difficulty).mean())

    def sample(self, positions: IntArray, group: int, rng: np.random.Generator) -> Outcome:
        """One group for each position under the policy of now."""
        kind = self.kind[positions]
        p = special.expit(self.ability[self.arm[positions]] - self.difficulty[positions] + self.learnt[positions])
        p = np.where(kind == NORMAL, p, np.where(kind == DEAD, 0.0, self.own_rate[positions]))
        right = rng.binomial(group, p)
        kept = rng.binomial(right, 1 - self.false_fail)
        false = np.where(kind == DEAD, 0, rng.binomial(group - right, self.false_pass))
        passes = kept + false
        rate = passes / group
        sd = np.sqrt(rate * (1 - rate))
        covariance = kept / group - rate * right / group
        signal = np.where(sd > 0, 2 * covariance / np.where(sd > 0, sd, 1.0), 0.0)
        signal = np.where(kind == WRONG, -0.5 * signal, signal)
        return Outcome(passes, signal)

    def learn(self, positions: IntArray, signal: FloatArray, batch: int) -> None:
        """One update of the policy from groups; each weighs 1/`batch`, so dropping groups makes none larger."""
        fresh = 1.0 / (1.0 + self.informative[positions] / self.reuse)
        arm = self.arm[positions]
        push = np.bincount(arm, weights=signal * fresh, minlength=len(self.ability))
        mastery = special.expit(self.ability - self._base())
        before = np.where(self.level > 0, np.roll(mastery, 1), 1.0)
        open_ = self.gate + (1 - self.gate) * before
        self.ability += self.rate * len(self.ability) / batch * open_ * (self.transfer @ push) / self._norm()
        self.ability -= self.forgetting * (self.ability - self.ability0)
        np.add.at(self.learnt, positions, self.rote * signal)
        np.add.at(self.informative, positions, signal != 0)

    def _base(self) -> FloatArray:
        if not hasattr(self, "_mean_difficulty"):
            n = np.maximum(np.bincount(self.arm, minlength=len(self.ability)), 1)
            self._mean_difficulty = np.bincount(self.arm, weights=self.difficulty, minlength=len(self.ability)) / n
        return self._mean_difficulty

    def _norm(self) -> float:
        return float(self.transfer.sum(axis=1).mean())


def _ranges(priors: Priors) -> list[tuple[str, Range]]:
    return [(name, value) for name, value in priors._asdict().items()]
