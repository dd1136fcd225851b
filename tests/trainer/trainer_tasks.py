"""Tasks of the three level families, made afresh."""

from __future__ import annotations

from synth.family import FAMILIES
from synth.tasks import make_item, to_task
from warehouse.records import Split, Task

FAMILY_NAMES = ["rev", "sort", "inc"]


def tasks_of(split: Split, n: int, *, families: list[str] = FAMILY_NAMES, seed: int = 11) -> list[Task]:
    """`n` tasks per family and level of one split, as far as there are distinct ones."""
    made: dict[str, Task] = {}
    for name in families:
        family = FAMILIES.get(name)
        for level in family.levels:
            found = 0
            for index in range(30 * n):
                task = to_task(family, make_item(family, level=level, seed=seed, index=index),
                               level=level, seed=seed, index=index)  # fmt: skip
                if task.split is split and task.task_id not in made:
                    made[task.task_id] = task
                    found += 1
                if found == n:
                    break
    return list(made.values())
