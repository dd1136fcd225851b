"""What changed between two evaluations, task by task: the only source of a verdict in words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from curriculum.estimates import Verdict, compare, pass_at_k
from warehouse.records import Evaluation, JsonValue
from warehouse.store import Store


class Change(NamedTuple):
    """B minus A over the tasks that both were measured on, with its own 95 % interval and verdict."""

    difference: float
    low: float
    high: float
    verdict: Verdict

    def __str__(self) -> str:
        return f"{self.difference:+z.3f} [{self.low:z.3f}, {self.high:z.3f}]"


Changes = Mapping[str, Mapping[str, Change]]
"""Group of tasks ("all", "family:NAME") to metric to change."""


def changes(store: Store, a: Evaluation | None, b: Evaluation | None, metrics: Sequence[str]) -> Changes:
    """What `metrics` (pass@K) changed from `a` to `b`: paired by task, clustered by family and level.

    The same comparison as `gradatim compare`, under the protocol of the two evaluations. Empty without two
    evaluations, without a shared protocol or without stored rollouts; a metric needs two tasks with K rollouts.
    """
    if a is None or b is None or a.protocol_hash != b.protocol_hash:
        return {}
    rows = store.named(
        "paired_passes",
        policy_a=a.policy_id,
        policy_b=b.policy_id,
        protocol_a=a.protocol_hash,
        protocol_b=b.protocol_hash,
    ).to_pylist()
    families = np.array([str(row["family"]) for row in rows])
    arms = np.array([str(row["arm"]) for row in rows])
    groups = {"all": families == families}
    groups |= {f"family:{family}": families == family for family in sorted(set(families.tolist()))}
    found: dict[str, dict[str, Change]] = {}
    for metric in metrics if rows else ():
        k = int(metric.removeprefix("pass@"))
        before, after = (
            pass_at_k([row[f"n_{side}"] for row in rows], [row[f"c_{side}"] for row in rows], k) for side in "ab"
        )
        for group, inside in groups.items():
            seen = compare(before[inside], after[inside], arms[inside])
            if seen.n > 1:
                found.setdefault(group, {})[metric] = Change(seen.difference, seen.low, seen.high, seen.verdict)
    return found


def as_json(found: Mapping[str, Change]) -> Mapping[str, JsonValue]:
    """Metric to {"difference", "low", "high", "verdict"}."""
    return {metric: change._asdict() | {"verdict": str(change.verdict)} for metric, change in found.items()}
