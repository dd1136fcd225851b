"""Which graders fight over which tasks: rank correlation and sign flips of every pair, from stored rollouts."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

MAX_TASKS = 20
"""Tasks named behind one cell."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One rollout's parts: its task, the bucket and the group that it belongs to, every grader's score."""

    task_id: str
    bucket: str
    group: str
    parts: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Conflict:
    """How two graders agree within one bucket.

    `correlation` is Spearman's over rollouts, in [-1, 1], `None` when one of them never varies. `flip_rate` is the
    share, in [0, 1], of pairs of rollouts of one group, ranked by both, that they rank in opposite order; `tasks` are
    those with most flips first.
    """

    first: str
    second: str
    bucket: str
    n: int
    correlation: float | None
    flip_rate: float
    n_flips: int
    tasks: tuple[str, ...]


def conflicts(
    rollouts: Iterable[Scored], graders: Sequence[str], *, worse: frozenset[str] = frozenset()
) -> list[Conflict]:
    """One cell for each pair of `graders` and bucket that share rollouts, worst flip rate first.

    `worse` names graders whose higher score is worse (costs); they are turned round first.
    """
    buckets: dict[str, list[Scored]] = defaultdict(list)
    for rollout in rollouts:
        buckets[rollout.bucket].append(rollout)
    cells = []
    for bucket, rows in sorted(buckets.items()):
        for first, second in combinations(graders, 2):
            shared = [row for row in rows if first in row.parts and second in row.parts]
            if shared:
                signs = [-1.0 if name in worse else 1.0 for name in (first, second)]
                cells.append(_cell(first, second, bucket, shared, signs))
    return sorted(cells, key=lambda cell: (-cell.flip_rate, cell.bucket, cell.first, cell.second))


def _cell(first: str, second: str, bucket: str, rows: Sequence[Scored], signs: Sequence[float]) -> Conflict:
    points = [(row.parts[first] * signs[0], row.parts[second] * signs[1]) for row in rows]
    groups: dict[str, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        groups[row.group].append(place)
    flips: Counter[str] = Counter()
    ranked = 0
    for places in groups.values():
        for i, j in combinations(places, 2):
            product = (points[i][0] - points[j][0]) * (points[i][1] - points[j][1])
            ranked += product != 0
            flips[rows[i].task_id] += product < 0
    total = sum(flips.values())
    tasks = tuple(task for task, n in sorted(flips.items(), key=lambda item: (-item[1], item[0])) if n)[:MAX_TASKS]
    correlation = spearman([x for x, _ in points], [y for _, y in points])
    return Conflict(first, second, bucket, len(rows), correlation, total / ranked if ranked else 0.0, total, tasks)


def spearman(x: Sequence[float], y: Sequence[float]) -> float | None:
    """Spearman's rank correlation with mean ranks for ties; `None` when either side is constant or n < 2.

    >>> spearman([1, 2, 3], [10, 20, 15]), spearman([1, 1], [1, 2])
    (0.5, None)
    """
    a, b = ranks(x), ranks(y)
    n = len(a)
    if n < 2:
        return None
    mean = (n + 1) / 2
    spread = math.sqrt(sum((v - mean) ** 2 for v in a) * sum((v - mean) ** 2 for v in b))
    return sum((u - mean) * (v - mean) for u, v in zip(a, b, strict=True)) / spread if spread else None


def ranks(values: Sequence[float]) -> list[float]:
    """Ranks from 1, ties sharing their mean.

    >>> ranks([5, 3, 5])
    [2.5, 1.0, 2.5]
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for place in order[start:end]:
            found[place] = (start + 1 + end) / 2
        start = end
    return found
