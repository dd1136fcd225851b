"""What groups say of arms and of their tasks at once: a logistic model whose abilities move as the policy learns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Field
from scipy import special

from curriculum.packing import pack, unpack
from curriculum.schedulers.protocol import Pool
from warehouse.records import JsonValue

FloatArray = npt.NDArray[np.float64]
Float32Array = npt.NDArray[np.float32]
IntArray = npt.NDArray[np.int64]

OFFSETS = np.linspace(-6.0, 6.0, 25)
"""Difficulties within an arm, in logits: half a logit apart."""
DEAD_RATE, TRIVIAL_RATE = 0.002, 0.99
"""Pass rates of the two classes off the logistic curve: broken tasks, and tasks that everything solves."""
N_CLASSES = len(OFFSETS) + 2
ROUNDS = 5
"""Times that a step's groups are linearised around what they last led to."""


class AbilityConfig(BaseModel):
    """Constants of the model; variances in squared logits."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    global_var: float = Field(1.0, ge=0)
    """Prior variance that all arms share."""
    family_var: float = Field(3.0, ge=0)
    """Prior variance that an arm shares with its family's, falling with the distance in levels."""
    arm_var: float = Field(0.3, gt=0)
    """Prior variance of an arm alone: how far a label may be off."""
    level_reach: float = Field(2.0, gt=0)
    """Levels over which a family's arms go together (e-folding)."""
    drift: float = Field(0.0015, ge=0)
    """Variance that an ability gains a step, correlated as the prior is."""
    own_drift: float = Field(0.01, ge=0)
    """Variance that an arm gains a step alone: practice elsewhere may cost one level and not its neighbours."""
    spread: float = Field(1.0, gt=0)
    """Standard deviation of difficulty within an arm, to start from, in logits."""
    odd: float = Field(0.06, gt=0, lt=0.4)
    """Share of dead and of trivial tasks, to start from."""
    strength: float = Field(20.0, gt=0)
    """Tasks that the start counts for, and all arms' fit in each arm's."""


class Abilities:
    """logit p_i(t) = ability_arm(t) - offset_i, offset ~ N(0, spread_arm^2); or p_i is .002 (dead) or .99 (trivial).

    Abilities walk at random, prior and steps correlated within families and over levels: an iterated extended Kalman
    filter whose score is Fisher's identity, E[c - n p | all groups]. A task's log-likelihood lies on a grid of offsets,
    so evidence stays right while its arm's ability moves. Class shares and spreads follow by EM over seen tasks:
    which task of an arm is drawn first does not depend on its outcome, so selection does no harm.
    """

    def __init__(self, pool: Pool, config: AbilityConfig) -> None:
        self.config, self.arms, self.family = config, pool.arms, pool.family
        width = len(pool.arms)
        level = np.zeros(width)
        np.maximum.at(level, pool.arm, pool.level)
        same = pool.family[:, None] == pool.family[None, :]
        near = np.exp(-np.abs(level[:, None] - level[None, :]) / config.level_reach)
        shape = config.global_var + config.family_var * same * near + config.arm_var * np.eye(width)
        together = shape / (config.global_var + config.family_var + config.arm_var)
        self._noise = config.drift * together + config.own_drift * np.eye(width)
        self.ability, self.cov = np.zeros(width), shape
        self.shares = np.full((width, 2), config.odd)
        self.spread = np.full(width, config.spread)
        self.step = 0
        self.prior = self._classes()

    def _classes(self) -> FloatArray:
        """Prior chance [A, classes] of each offset, then of dead and trivial."""
        normal = np.exp(-0.5 * (OFFSETS[None, :] / self.spread[:, None]) ** 2)
        normal *= (1 - self.shares.sum(axis=1))[:, None] / normal.sum(axis=1, keepdims=True)
        return np.concatenate([normal, self.shares], axis=1)

    def rates(self, shift: float | FloatArray = 0.0) -> FloatArray:
        """Pass rate [A, classes] of every class now, abilities moved by `shift`."""
        p = special.expit((self.ability + shift)[:, None] - OFFSETS[None, :])
        odd = np.tile([DEAD_RATE, TRIVIAL_RATE], (len(self.ability), 1))
        return np.asarray(np.clip(np.concatenate([p, odd], axis=1), 1e-4, 1 - 1e-4))

    def posterior(self, arm: npt.NDArray[np.int32], loglik: Float32Array) -> Float32Array:
        """Chance [rows, classes] of each class for tasks of `arm` with log-likelihoods `loglik`."""
        x = loglik + np.log(self.prior + 1e-30).astype(np.float32)[arm]
        x -= x.max(axis=1, keepdims=True)
        np.exp(x, out=x)
        x /= x.sum(axis=1, keepdims=True)
        return np.asarray(x)

    def observe(
        self, arm: npt.NDArray[np.int32], loglik: Float32Array, n: FloatArray, c: FloatArray, step: int
    ) -> Float32Array:
        """Move abilities by one step's groups; returns [rows, classes] to add to their tasks' log-likelihoods.

        A group tells of its arm's ability with weight I / (1 + spread^2 I), I = E[n p(1-p)]: its own offset is
        unknown. The filter is iterated, since a surprise at p near 1 says little where it was expected and much where
        it leads; a round moves no ability by more than one logit.
        """
        self.cov = self.cov + self._noise * max(step - self.step, 0)
        self.step = max(step, self.step)
        width, hit, before = len(self.ability), np.unique(arm), self.ability
        for _ in range(ROUNDS):
            w = self.posterior(arm, loglik + self._loglik(arm, n, c))[:, : len(OFFSETS)]
            p = self.rates()[arm][:, : len(OFFSETS)]
            score = np.sum(w * (c[:, None] - n[:, None] * p), axis=1)
            inform = np.sum(w * n[:, None] * p * (1 - p), axis=1)
            inform /= 1 + self.spread[arm] ** 2 * inform
            total = np.bincount(arm, weights=score, minlength=width)[hit]
            weight = np.bincount(arm, weights=inform, minlength=width)[hit] + 1e-6
            gain = self.cov[:, hit] @ np.linalg.inv(self.cov[np.ix_(hit, hit)] + np.diag(1 / weight))
            mode = before + gain @ ((self.ability - before)[hit] + total / weight)
            self.ability = self.ability + np.clip(mode - self.ability, -1.0, 1.0)
        self.cov = self.cov - gain @ self.cov[hit, :]
        return self._loglik(arm, n, c)

    def _loglik(self, arm: npt.NDArray[np.int32], n: FloatArray, c: FloatArray) -> Float32Array:
        p = self.rates()[arm]
        return np.asarray(c[:, None] * np.log(p) + (n - c)[:, None] * np.log1p(-p), dtype=np.float32)

    def refit(self, arm: npt.NDArray[np.int32], w: Float32Array, weight: float = 1.0) -> None:
        """One step of EM on class shares and spreads from posteriors `w` of seen tasks, each counted `weight` times."""
        width, strength = len(self.ability), self.config.strength
        count = weight * np.bincount(arm, minlength=width)
        odd = weight * np.stack([np.bincount(arm, weights=w[:, j], minlength=width) for j in (-2, -1)], axis=1)
        mass = count - odd.sum(axis=1)
        square = weight * np.bincount(arm, weights=w[:, : len(OFFSETS)] @ OFFSETS**2, minlength=width)
        top = (odd.sum(axis=0) + self.config.odd * strength) / (count.sum() + strength)
        wide = (square.sum() + strength * self.config.spread**2) / (mass.sum() + strength)
        self.shares = np.clip((odd + strength * top) / (count + strength)[:, None], 0.002, 0.4)
        self.spread = np.sqrt(np.clip((square + strength * wide) / (mass + strength), 0.09, 16.0))
        self.prior = self._classes()

    def dead(self) -> npt.NDArray[np.bool_]:
        """Arms whose mean pass rate is under .05 even at the upper end of a 95 % interval of their ability."""
        high = self.rates(1.645 * np.sqrt(np.maximum(self.cov.diagonal(), 0.0)))
        return np.asarray((self.prior * high).sum(axis=1) < 0.05)

    def state(self) -> dict[str, JsonValue]:
        arrays = {"ability": self.ability, "cov": self.cov, "shares": self.shares, "spread": self.spread}
        return {"arms": list(self.arms), "step": self.step, **{k: pack(v) for k, v in arrays.items()}}

    def restore(self, state: Mapping[str, JsonValue]) -> None:
        """Take over the arms that this pool has too; a new arm starts at its family's mean ability, else at all's."""
        names = state["arms"]
        old = {str(name): i for i, name in enumerate(names)} if isinstance(names, Sequence) else {}
        here = np.array([i for i, a in enumerate(self.arms) if a in old], dtype=np.int64)
        there = np.array([old[self.arms[i]] for i in here], dtype=np.int64)
        self.step = int(str(state["step"]))
        if len(here) == 0:
            return
        for new in sorted(set(range(len(self.arms))) - set(here.tolist())):
            kin = there[self.family[here] == self.family[new]]
            self.ability[new] = float(unpack(state["ability"])[kin if len(kin) else there].mean())
        self.ability[here] = unpack(state["ability"])[there]
        apart = np.ones(len(self.arms), dtype=bool)
        apart[here] = False
        self.cov[np.ix_(apart, ~apart)] = self.cov[np.ix_(~apart, apart)] = 0.0
        self.cov[np.ix_(here, here)] = unpack(state["cov"])[np.ix_(there, there)]
        self.shares[here], self.spread[here] = unpack(state["shares"])[there], unpack(state["spread"])[there]
        self.prior = self._classes()
