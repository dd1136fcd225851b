"""Tasks of the warehouse as the arrays that schedulers draw from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from curriculum.schedulers.protocol import Pool
from curriculum.summary import family_of
from warehouse.records import Task


def pool_of(tasks: Sequence[Task]) -> Pool:
    """A pool whose positions are the places of `tasks`; arms are family/level/source, every group costs the same."""
    arms = sorted({task.arm for task in tasks})
    families = sorted({family_of(arm) for arm in arms})
    place = {arm: i for i, arm in enumerate(arms)}
    return Pool(
        task_ids=np.array([task.task_id for task in tasks], dtype=object),
        arm=np.array([place[task.arm] for task in tasks], dtype=np.int32),
        arms=tuple(arms),
        family=np.array([families.index(family_of(arm)) for arm in arms], dtype=np.int32),
        level=np.array([task.level for task in tasks], dtype=np.int64),
        cost=np.ones(len(tasks)),
    )
