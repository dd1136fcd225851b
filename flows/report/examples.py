"""A few tasks with what the policy wrote for them, to look at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from warehouse.records import Task
from warehouse.store import Store

N_TASKS = 6
"""Tasks shown."""

LONGEST = 1200
"""Characters shown of one text."""


@dataclass(frozen=True, slots=True)
class Example:
    """A training task and the group of completions it got last, in which stage and at which step of it."""

    task: Task
    stage: int
    step: int
    rollouts: tuple[Mapping[str, Any], ...]

    @property
    def n_passed(self) -> int:
        """How many completions of the group passed."""
        return sum(rollout["judgement"] == "PASS" for rollout in self.rollouts)


def examples(store: Store, stages: Sequence[tuple[int, str]]) -> list[Example]:
    """The newest mixed groups of the last stage that has rollouts, one a family first; held-out tasks never."""
    for index, stage_id in reversed(stages):
        groups = store.rows(
            "SELECT r.task_id, r.stage_attempt, r.step, r.slot, t.family, count(*) FILTER (judgement = 'PASS') AS c,"
            " count(*) AS n FROM rollouts AS r JOIN current_tasks AS t USING (task_id)"
            " WHERE r.stage_id = $stage AND r.purpose = 'train' AND t.split = 'train'"
            " GROUP BY ALL ORDER BY (c > 0 AND c < n) DESC, stage_attempt DESC, step DESC, slot LIMIT 400",
            {"stage": stage_id},
        )
        if groups:
            return [_example(store, index, stage_id, group) for group in _spread(groups)]
    return []


def _spread(groups: Sequence[dict[str, object]]) -> list[dict[str, object]]:
    """At most `N_TASKS` groups: each family once before any family twice, no task twice."""
    rounds: dict[object, int] = {}
    tasks: set[object] = set()
    ranked = []
    for place, group in enumerate(groups):
        if group["task_id"] in tasks:
            continue
        tasks.add(group["task_id"])
        turn = rounds[group["family"]] = rounds.get(group["family"], 0) + 1
        ranked.append((turn, place, group))
    return [group for _, _, group in sorted(ranked, key=lambda entry: entry[:2])][:N_TASKS]


def _example(store: Store, index: int, stage_id: str, group: dict[str, object]) -> Example:
    place = {name: group[name] for name in ("task_id", "stage_attempt", "step", "slot")}
    rollouts = store.rows(
        "SELECT DISTINCT ON (sample) sample, judgement, reward, n_tokens, completion FROM rollouts"
        " WHERE stage_id = $stage AND task_id = $task_id AND stage_attempt = $stage_attempt AND step = $step"
        " AND slot = $slot AND purpose = 'train' ORDER BY sample, rowid DESC",
        {"stage": stage_id, **place},
    )
    task = store.tasks(status=None, task_ids=[str(group["task_id"])], private=False)[0]
    return Example(task, index, int(str(group["step"])), tuple(rollouts))
