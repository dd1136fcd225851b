"""From tasks to the parallel arrays that schedulers draw from."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from curriculum.schedulers import Pool
from warehouse.records import Task


def pool_of(tasks: Sequence[Task]) -> Pool:
    """The pool of `tasks`; positions follow their order, arms and families are sorted by name."""
    arms = sorted({task.arm for task in tasks})
    families = sorted({task.family for task in tasks})
    place = {arm: index for index, arm in enumerate(arms)}
    family_of = {task.arm: families.index(task.family) for task in tasks}
    return Pool(
        task_ids=np.array([task.task_id for task in tasks], dtype=object),
        arm=np.array([place[task.arm] for task in tasks], dtype=np.int32),
        arms=tuple(arms),
        family=np.array([family_of[arm] for arm in arms], dtype=np.int32),
        level=np.array([task.level for task in tasks], dtype=np.int32),
        cost=np.ones(len(tasks)),
    )
