from __future__ import annotations

import math
import re
from typing import Any

import pytest
from warehouse_rows import campaign, evaluation, policy, rollout, task

from warehouse.errors import UserError
from warehouse.migrations import view_statements
from warehouse.named import named_queries
from warehouse.records import Record, RolloutPurpose
from warehouse.store import Store

NEEDED: dict[str, dict[str, str]] = {
    "lost_tasks": {"before": "p0"},
    "step_lineage": {"stage": "s1", "step": "1"},
    "pass_at_k": {"k": "2"},
    "weak_spots": {"min_n": "1"},
}
UNFILLED = {"agent_turns", "alarms", "failed_traces", "model_verification"}
"""Queries whose rows the filled warehouse lacks; `tests/flows` fill them by real runs."""


def _rows(store: Store, name: str, **params: str) -> list[dict[str, Any]]:
    required = {n: "p0" for n, default in named_queries()[name].params.items() if default is None}
    return store.named(name, **{**required, **NEEDED.get(name, {}), **params}).to_pylist()  # type: ignore[no-any-return]


def test_there_are_enough_and_each_says_its_grain_and_keys() -> None:
    assert len(named_queries()) >= 15
    texts = [q.sql for q in named_queries().values()] + [text for _, text in view_statements()]
    for text in texts:
        assert re.search(r"grain: .+; keys: \w+", text), text


@pytest.mark.parametrize("name", sorted(named_queries()))
def test_it_answers_on_an_empty_warehouse(empty: Store, name: str) -> None:
    assert [r for r in _rows(empty, name) if name != "batches"] == []


@pytest.mark.parametrize("name", sorted(set(named_queries()) - UNFILLED))
def test_it_answers_on_a_filled_one_and_its_keys_are_unique(filled: Store, name: str) -> None:
    rows = _rows(filled, name)
    assert rows
    keys = re.search(r"keys: ([\w, ]+)", named_queries()[name].sql).group(1).split(", ")  # type: ignore[union-attr]
    assert len({tuple(r[k] for k in keys) for r in rows}) == len(rows)


@pytest.mark.parametrize("name", [name for name, _ in view_statements()])
def test_views_hold_one_row_a_key(filled: Store, name: str) -> None:
    text = dict(view_statements())[name]
    keys = re.search(r"keys: ([\w, ]+)", text).group(1).strip()  # type: ignore[union-attr]
    told = filled.rows(f"SELECT count(*) AS n, count(DISTINCT ({keys})) AS d FROM {name}")[0]
    assert told["n"] == told["d"] > 0


def test_the_funnel_adds_up(filled: Store) -> None:
    (row,) = _rows(filled, "funnel")
    reasons = _rows(filled, "funnel_reasons")
    assert (row["n_in"], row["n_out"], row["n_rejected"]) == (14, 12, 2)
    assert row["n_in"] == row["n_out"] + sum(r["n"] for r in reasons)
    assert row["yield_rate"] == pytest.approx(12 / 14)


def test_pass_at_k_is_the_unbiased_estimate(filled: Store) -> None:
    for k in (1, 2, 3):
        rows = {r["policy_id"]: r for r in _rows(filled, "pass_at_k", k=str(k))}
        wanted = 1 - math.comb(2, k) / math.comb(4, k)
        assert rows["p0"]["pass_at_k"] == pytest.approx(wanted)
        assert rows["p0"]["n_tasks"] == 12
    assert _rows(filled, "pass_at_k", k="5") == []


def test_tasks_lost_since_a_checkpoint(filled: Store) -> None:
    assert [r["task_id"] for r in _rows(filled, "lost_tasks")] == ["t5"]
    assert _rows(filled, "lost_tasks", before="p1", after="p0") == []


def test_conflicting_graders_are_named(filled: Store) -> None:
    (row,) = _rows(filled, "grader_conflicts")
    assert (row["grader"], row["other"], row["n_tasks"], row["n_conflicts"]) == ("right", "short", 1, 5)


def test_health_names_what_is_accepted_against_a_check(filled: Store) -> None:
    found = {r["task_id"]: r["finding"] for r in _rows(filled, "task_health")}
    assert found == {"t3": "accepted against a failed check", "t4": "accepted against a failed check"}


def test_the_audit_overturns_verifiers(filled: Store) -> None:
    gold = next(r for r in _rows(filled, "verifier_audit") if r["check"] == "gold")
    assert (gold["n_pass"], gold["n_audited"], gold["false_accept_rate"]) == (12, 1, 1.0)


def test_a_step_is_walked_back_to_who_made_its_tasks(filled: Store) -> None:
    rows = _rows(filled, "step_lineage")
    assert [r["task_id"] for r in rows] == ["t2", "t3"]
    assert rows[0]["generator"] == "rev"
    assert rows[0]["verdicts"] == ["dedup:pass by second program", "gold:pass by second program"]
    assert (rows[0]["n_rollouts"], rows[0]["n_passes"], rows[0]["reason"]) == (2, 1, "frontier")
    assert rows[0]["cost"] == pytest.approx(0.7)


def test_a_checkpoint_is_walked_back_to_the_first(filled: Store) -> None:
    rows = _rows(filled, "checkpoint_lineage")
    assert [(r["policy_id"], r["parent"], r["n_tasks"]) for r in rows] == [("p1", "p0", 4), ("p0", None, None)]


def test_bad_names_and_parameters_are_told(filled: Store) -> None:
    with pytest.raises(UserError, match="unknown named query 'funel'; nearest: funnel"):
        filled.named("funel")
    with pytest.raises(UserError, match="unknown parameter of 'buckets' 'polcy'; nearest: policy"):
        filled.named("buckets", polcy="p0")
    with pytest.raises(UserError, match="needs before"):
        filled.named("lost_tasks")


def test_parameters_are_values_never_sql(filled: Store) -> None:
    before = filled.snapshot()
    assert filled.named("buckets", policy="p0' OR '1'='1'; DROP TABLE tasks; --").num_rows == 0
    assert filled.snapshot() == before


def test_the_newest_policy_that_was_calibrated_is_meant(store: Store) -> None:
    """A campaign ends with a policy that nothing was measured for yet."""
    store.commit([*campaign(), policy("p2", parent="p1")], batch="c", purpose="x", run="r")
    for name in ("buckets", "informative_tasks"):
        assert store.named(name).to_pylist() == store.named(name, policy="p1").to_pylist() != []


def test_a_sample_of_an_evaluation_counts_once_also_past_the_bits(store: Store) -> None:
    """Drawn twice by two campaigns, numbered past what a mask holds, or stored before rollouts named a protocol."""
    rows: list[Record] = [task(0), task(1), policy("p0"), policy("p1", parent="p0"), evaluation("p0"), evaluation("p1")]
    drawn = [
        ("t0", "p0", sample, protocol, passed)
        for protocol in ("h", None)
        for sample, passed in ((0, True), (59, False), (60, True), (119, True), (120, True), (500, False))
    ]
    drawn += [("t0", "p0", 0, "h", True), ("t0", "p0", 500, "h", False), ("t0", "p0", 1, "other", True)]
    drawn += [("t0", "p1", 7, "h", True), ("t1", "p0", 0, "h", True)]
    for i, (task_id, policy_id, sample, protocol, passed) in enumerate(drawn):
        tried = {"sample": sample, "purpose": RolloutPurpose.EVAL, "protocol_hash": protocol}
        rows.append(rollout(i, task_id=task_id, policy_id=policy_id, passed=passed, **tried))
    store.commit(rows, batch="drawn", purpose="x", run="r")

    def counted(task_id: str, policy_id: str) -> tuple[int, int]:
        mine = [d for d in drawn if d[:2] == (task_id, policy_id) and d[3] in ("h", None)]
        return len({d[2:4] for d in mine}), len({d[2:4] for d in mine if d[4]})

    (row,) = store.named("paired_passes", policy_a="p0", policy_b="p1").to_pylist()
    assert (row["task_id"], row["n_a"], row["c_a"]) == ("t0", *counted("t0", "p0"))
    assert (row["n_b"], row["c_b"]) == counted("t0", "p1")
    tries = store.rows("SELECT sum(n)::INT AS n, sum(c)::INT AS c FROM eval_tries WHERE policy_id = 'p0'")[0]
    assert tries == {
        "n": len({d[:4] for d in drawn if d[1] == "p0"}),
        "c": len({d[:4] for d in drawn if d[1] == "p0" and d[4]}),
    }
