"""Two policies on the same held-out tasks."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from curriculum.estimates import compare, pass_at_k
from warehouse.errors import UserError
from warehouse.records import Evaluation, JsonValue, Policy
from warehouse.store import Store


def compare_policies(
    store: Store, a: str, b: str, *, metric: str = "pass@1", families: Sequence[str] = (), force: bool = False
) -> Mapping[str, JsonValue]:
    """B minus A, paired by task, clustered by family and level: {"difference", "low", "high", "verdict", ...}.

    Raises `UserError` for an unknown policy or metric, when they share no evaluated task, and when their newest
    evaluations had different protocols unless `force` is set; then `same_protocol` is false.
    """
    left, right = _policy(store, a), _policy(store, b)
    k = _k_of(metric)
    same = _protocol(store, left) == _protocol(store, right)
    if not same and not force:
        raise UserError(
            f"{a} and {b} were evaluated under different protocols; evaluate both under one, or --force; "
            "see: gradatim evaluate --help"
        )
    rows = store.named("paired_passes", policy_a=left, policy_b=right).to_pylist()
    rows = [row for row in rows if not families or row["family"] in families]
    if not rows:
        raise UserError(f"{a} and {b} share no evaluated task; see: gradatim evaluate --help")
    before = pass_at_k([row["n_a"] for row in rows], [row["c_a"] for row in rows], k)
    after = pass_at_k([row["n_b"] for row in rows], [row["c_b"] for row in rows], k)
    found = compare(before, after, [str(row["arm"]) for row in rows])
    return {
        "metric": metric,
        "difference": found.difference,
        "low": found.low,
        "high": found.high,
        "verdict": str(found.verdict),
        "p_value": found.p_value,
        "detectable": found.detectable,
        "n": found.n,
        "n_clusters": found.n_clusters,
        "same_protocol": same,
    }


def _policy(store: Store, name: str) -> str:
    found = store.read(Policy, "starts_with(policy_id, $id)", {"id": name})
    if len(found) != 1:
        raise UserError(
            f"policy '{name}' matches {len(found)} policies, must match 1; see: gradatim sql --named evals_by_stage"
        )
    return found[0].policy_id


def _protocol(store: Store, policy_id: str) -> str:
    rows = store.read(Evaluation, "policy_id = $id", {"id": policy_id})
    if not rows:
        raise UserError(f"policy {policy_id} was not evaluated; see: gradatim evaluate --policy {policy_id[:8]}")
    return rows[-1].protocol_hash


def _k_of(metric: str) -> int:
    matched = re.fullmatch(r"pass@([1-9][0-9]*)", metric)
    if matched is None:
        raise UserError(f"metric '{metric}' cannot be compared; allowed: pass@K; see: gradatim compare --help")
    return int(matched.group(1))
