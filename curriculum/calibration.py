"""What probes say of every task of a pool: probed tasks by their own groups, the rest by their arm's prior."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from curriculum.arms import Arms
from curriculum.posterior import LEAST
from curriculum.schedulers.protocol import Group, Pool

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]


class Beliefs(NamedTuple):
    """Beta parameters [N] of every task's pass rate, and its decided rollouts `n` and passes `c` [N]."""

    alpha: FloatArray
    beta: FloatArray
    n: IntArray
    c: IntArray


def calibrate(pool: Pool, groups: Sequence[Group], *, strength: float = 4.0) -> Beliefs:
    """The posterior of every task of `pool` after `groups`: A = c + kappa mu, B = n - c + kappa (1 - mu).

    The prior (mu, kappa) of an arm comes from the moments of its groups, shrunk to its family's and to all
    arms' with the weight of `strength` groups. Groups with n < 2 are left out.
    """
    usable = [group for group in groups if group.n >= 2]
    position = np.array([group.position for group in usable], dtype=np.int64)
    n = np.bincount(position, weights=[group.n for group in usable], minlength=len(pool)).astype(np.int64)
    c = np.bincount(position, weights=[group.c for group in usable], minlength=len(pool)).astype(np.int64)
    arms = Arms(pool.arms, pool.family, decay=1.0)
    arms.add(
        pool.arm[position],
        np.array([group.n for group in usable], dtype=np.float64),
        np.array([group.c for group in usable], dtype=np.float64),
        np.array([group.selected for group in usable], dtype=bool),
        0,
    )
    prior = arms.prior(strength)
    alpha = c + (prior.kappa * prior.mu)[pool.arm]
    beta = n - c + (prior.kappa * (1 - prior.mu))[pool.arm]
    return Beliefs(np.maximum(alpha, LEAST), np.maximum(beta, LEAST), n, c)


def stratified(pool: Pool, n: int, seed: int) -> IntArray:
    """Positions of `n` tasks to probe: the arms in turn, each arm's tasks in an order drawn by `seed`.

    Fewer when the pool holds fewer.
    """
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(pool))
    by_arm = order[np.argsort(pool.arm[order], kind="stable")]
    arm = pool.arm[by_arm]
    starts = np.searchsorted(arm, np.arange(len(pool.arms)))
    turn = np.arange(len(pool)) - starts[arm]
    return by_arm[np.lexsort((rng.permutation(len(pool)), turn))][:n]
