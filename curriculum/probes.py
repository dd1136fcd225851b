"""Which tasks to probe before a plan: the arms in turn, so that no arm's prior is a guess."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from curriculum.schedulers.protocol import Pool


def stratified(pool: Pool, n: int, seed: int) -> npt.NDArray[np.int64]:
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
