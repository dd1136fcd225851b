"""Strata of an evaluation's task set: what is reported for itself beside families and levels."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from warehouse.records import Task, TaskKind

THIRDS = ("easy", "medium", "hard")
"""The lower, middle and upper third of a family's levels, by the generator's own order."""

LONG = 0.9
"""Prompts from this quantile of the set's lengths on are long."""


def strata(tasks: Sequence[Task], unseen: Collection[str] = ()) -> Mapping[str, list[int]]:
    """Places in `tasks` of each stratum that is not empty: easy, medium, hard, long, adversarial, unseen.

    Difficulty is a family's own (a level's rank among those it has in the set), so that it is the same for every
    policy; families of one level are medium. `unseen` names families that no training draws from.
    """
    levels = {family: sorted({task.level for task in tasks if task.family == family}) for family in _families(tasks)}
    long = float(np.quantile([len(task.prompt) for task in tasks], LONG)) if tasks else 0.0
    found: dict[str, list[int]] = {}
    for place, task in enumerate(tasks):
        own = levels[task.family]
        rank = (own.index(task.level) + 0.5) / len(own)
        names = [THIRDS[min(2, int(3 * rank))]]
        names += ["long"] * (len(task.prompt) >= long)
        names += ["adversarial"] * (task.kind is TaskKind.ADVERSARIAL)
        names += ["unseen"] * (task.family in unseen)
        for name in names:
            found.setdefault(name, []).append(place)
    return found


def _families(tasks: Sequence[Task]) -> set[str]:
    return {task.family for task in tasks}
