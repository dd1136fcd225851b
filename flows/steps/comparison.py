"""Two policies on the same held-out tasks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from curriculum.estimates import compare, components, look_alpha, pass_at_k, samples_needed, tasks_needed
from warehouse.errors import UserError
from warehouse.records import Evaluation, JsonValue, Policy
from warehouse.store import Store


class Budget(NamedTuple):
    """What one evaluation spent: its protocol, its tasks and the samples of each."""

    protocol: str
    n_tasks: int
    n_samples: int


def compare_policies(
    store: Store,
    a: str,
    b: str,
    *,
    metric: str = "pass@1",
    families: Sequence[str] = (),
    force: bool = False,
    look: tuple[int, int] = (1, 1),
    want: float | None = None,
) -> Mapping[str, JsonValue]:
    """B minus A, paired by task, clustered by family and level: {"difference", "low", "high", "verdict", ...}.

    `look` (i, n) says that this is the i-th of n planned looks: the interval is then as wide as that takes for all
    looks together to err at most one time in twenty. With `want`, "power" tells how many tasks, or samples a task, it
    takes to see that difference of pass@1 four times in five (none: more of the same cannot).

    Both are taken under the newest protocol that they share. Raises `UserError` for an unknown policy or metric, when
    they share no evaluated task, and when they share no protocol unless `force` is set: then each has its newest one,
    `same_protocol` is false, and `budgets` says what was spent on each.
    """
    left, right = _policy(store, a), _policy(store, b)
    k = _k_of(metric)
    budget_a, budget_b = _budgets(store, left, right)
    same = budget_a.protocol == budget_b.protocol
    if not same and not force:
        raise UserError(
            f"{a} and {b} were evaluated under different protocols ({_told(budget_a)} and {_told(budget_b)}); "
            f"measure one as the other was: gradatim evaluate --policy {b[:8]} --like {a[:8]}; or --force"
        )
    rows = store.named(
        "paired_passes",
        policy_a=left,
        policy_b=right,
        protocol_a=budget_a.protocol,
        protocol_b=budget_b.protocol,
    ).to_pylist()
    rows = [row for row in rows if not families or row["family"] in families]
    if not rows:
        raise UserError(f"{a} and {b} share no evaluated task; see: gradatim evaluate --help")
    before = pass_at_k([row["n_a"] for row in rows], [row["c_a"] for row in rows], k)
    after = pass_at_k([row["n_b"] for row in rows], [row["c_b"] for row in rows], k)
    if bool(np.isnan(before).all()) or bool(np.isnan(after).all()):
        n = max(min(row["n_a"], row["n_b"]) for row in rows)
        raise UserError(f"{metric} needs {k} samples a task, at most {n} are there; see: gradatim compare --help")
    arms = [str(row["arm"]) for row in rows]
    alpha = look_alpha(*look)
    found, both = compare(before, after, arms, alpha=alpha), np.isfinite(before) & np.isfinite(after)
    power = {} if want is None else {"power": _power(rows, arms, want, alpha)}
    return {
        "metric": metric,
        "a": float(np.mean(before[both])),
        "b": float(np.mean(after[both])),
        "difference": found.difference,
        "low": found.low,
        "high": found.high,
        "verdict": str(found.verdict),
        "p_value": found.p_value,
        "detectable": found.detectable,
        "n": found.n,
        "n_clusters": found.n_clusters,
        "same_protocol": same,
        "budgets": [budget._asdict() for budget in (budget_a, budget_b)],
        "look": list(look),
        "level": 1 - alpha,
        **power,
    }


def _power(rows: Sequence[Mapping[str, Any]], arms: Sequence[str], want: float, alpha: float) -> dict[str, JsonValue]:
    """What it takes to see a difference of pass@1; tasks with fewer samples than the fewest usual are left out."""
    if not 0 < want < 1:
        raise UserError(f"the difference to see is {want}, must be between 0 and 1; see: gradatim compare --help")
    n = Counter(min(row["n_a"], row["n_b"]) for row in rows).most_common(1)[0][0]
    kept = [i for i, row in enumerate(rows) if row["n_a"] == row["n_b"] == n]
    if n < 2 or len(kept) < 2:
        return {"want": want, "tasks_needed": None, "samples_needed": None}
    parts = components([rows[i]["c_a"] for i in kept], [rows[i]["c_b"] for i in kept], n, [arms[i] for i in kept])
    return {
        "want": want,
        "tasks_needed": tasks_needed(parts, want, alpha=alpha),
        "samples_needed": samples_needed(parts, want, alpha=alpha),
    }


def _told(budget: Budget) -> str:
    return f"{budget.n_tasks} tasks x {budget.n_samples} samples, {budget.protocol[:8]}"


def _policy(store: Store, name: str) -> str:
    found = store.read(Policy, "starts_with(policy_id, $id)", {"id": name})
    if len(found) != 1:
        raise UserError(f"policy '{name}' matches {len(found)} policies, must match 1; see: gradatim policies")
    return found[0].policy_id


def _budgets(store: Store, a: str, b: str) -> tuple[Budget, Budget]:
    """The budgets under the newest protocol that both policies were evaluated under; each one's newest without any."""
    own_a, own_b = _evaluations(store, a), _evaluations(store, b)
    shared = [protocol for protocol in own_b if protocol in own_a]
    if shared:
        return own_a[shared[-1]], own_b[shared[-1]]
    return list(own_a.values())[-1], list(own_b.values())[-1]


def _evaluations(store: Store, policy_id: str) -> dict[str, Budget]:
    """A policy's budgets by protocol, the newest last."""
    rows = store.read(Evaluation, "policy_id = $id AND \"group\" = 'all'", {"id": policy_id})
    if not rows:
        raise UserError(f"policy {policy_id} was not evaluated; see: gradatim evaluate --policy {policy_id[:8]}")
    found: dict[str, Budget] = {}
    for row in rows:
        kept = found.pop(row.protocol_hash, Budget(row.protocol_hash, 0, row.n_samples))
        found[row.protocol_hash] = kept._replace(n_tasks=max(kept.n_tasks, row.n))
    return found


def _k_of(metric: str) -> int:
    matched = re.fullmatch(r"pass@([1-9][0-9]*)", metric)
    if matched is None:
        raise UserError(f"metric '{metric}' cannot be compared; allowed: pass@K; see: gradatim compare --help")
    return int(matched.group(1))
