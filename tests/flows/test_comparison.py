"""Two policies compared under one protocol, in a warehouse that holds evaluations under several."""

from __future__ import annotations

from dataclasses import replace

import pytest
from planted_campaign import EVEN, HELDOUT

from flows.steps.comparison import compare_policies
from warehouse.errors import UserError
from warehouse.records import Evaluation, Rollout


def _evaluated(planted, index, name, rates, protocol, *, samples=None, n_tasks=None):
    """Rows of an evaluation of policy `name` under `protocol`, on the first tasks and samples only."""
    rows = []
    for row in planted.evaluation(index, name, rates, 0.5):
        if isinstance(row, Evaluation):
            named = {"eval_id": f"{name}-{protocol}", "protocol_hash": protocol}
            rows.append(replace(row, **named, n=n_tasks or row.n, n_samples=samples or row.n_samples))
        elif samples is None or row.sample < samples:
            rows.append(replace(row, rollout_id=f"{protocol}-{row.rollout_id}", protocol_hash=protocol))
    kept = {task.task_id for task in HELDOUT[:n_tasks]}
    return [row for row in rows if isinstance(row, Evaluation) or row.task_id in kept]


@pytest.fixture
def two(planted):
    """Policies `policy0` and `policy1` without any rollout of an evaluation."""
    planted.evaluation, kept = lambda *_: [], planted.evaluation
    planted.stage(0, EVEN)
    planted.stage(1, EVEN)
    planted.evaluation = kept
    return planted


def test_only_rollouts_of_the_shared_protocol_are_paired(two):
    better = EVEN + 0.5
    rows = [
        *_evaluated(two, 0, "policy0", EVEN, "long"),
        *_evaluated(two, 1, "policy1", better, "long"),
        *_evaluated(two, 2, "policy1", EVEN * 0, "short", samples=4),
        *_evaluated(two, 3, "policy0", EVEN * 0, "other", samples=2),
    ]
    two.shop.commit(rows, batch="evaluations", purpose="x")
    found = compare_policies(two.shop.store, "policy0", "policy1")
    assert found["same_protocol"]
    assert found["difference"] == pytest.approx(0.5, abs=0.03)
    assert [budget["protocol"] for budget in found["budgets"]] == ["long", "long"]


def test_different_budgets_are_refused_unless_forced_and_then_marked(two):
    rows = [
        *_evaluated(two, 0, "policy0", EVEN, "long"),
        *_evaluated(two, 1, "policy1", EVEN, "short", samples=4, n_tasks=100),
    ]
    two.shop.commit(rows, batch="evaluations", purpose="x")
    with pytest.raises(UserError, match=r"different protocols.*144 tasks x 16 samples.*100 tasks x 4 samples"):
        compare_policies(two.shop.store, "policy0", "policy1")
    found = compare_policies(two.shop.store, "policy0", "policy1", force=True)
    assert not found["same_protocol"]
    assert found["n"] == 100
    assert [budget["n_samples"] for budget in found["budgets"]] == [16, 4]


def test_a_sample_that_two_campaigns_drew_counts_once(two):
    rows = [*_evaluated(two, 0, "policy0", EVEN, "p"), *_evaluated(two, 1, "policy1", EVEN, "p")]
    two.shop.commit(rows, batch="evaluations", purpose="x")
    pairs = {"policy_a": "policy0", "policy_b": "policy1"}
    once = two.shop.store.named("paired_passes", **pairs).to_pylist()
    two.shop.commit([row for row in rows if isinstance(row, Rollout)], batch="again", purpose="x")
    assert two.shop.store.named("paired_passes", **pairs).to_pylist() == once
    assert all(row["n_a"] == row["n_b"] == 16 for row in once)
    wide = [replace(row, rollout_id=f"w{row.rollout_id}", sample=row.sample + 115) for row in rows[:16]]
    two.shop.commit(wide, batch="wide", purpose="x")
    two.shop.commit(wide, batch="wide again", purpose="x")
    (more,) = [row for row in two.shop.store.named("paired_passes", **pairs).to_pylist() if row["n_a"] != 16]
    assert more["n_a"] == 32
    assert more["c_a"] == 2 * sum(row.judgement == "PASS" for row in wide)


def test_planned_looks_widen_the_interval_and_power_says_what_it_takes(two):
    rows = [*_evaluated(two, 0, "policy0", EVEN, "p"), *_evaluated(two, 1, "policy1", EVEN + 0.05, "p")]
    two.shop.commit(rows, batch="evaluations", purpose="x")
    once = compare_policies(two.shop.store, "policy0", "policy1", want=0.02)
    early = compare_policies(two.shop.store, "policy0", "policy1", look=(1, 3))
    assert once["level"] == pytest.approx(0.95)
    assert early["level"] > 0.999
    assert early["low"] < once["low"] < once["high"] < early["high"]
    power = once["power"]
    assert power["tasks_needed"] is None or power["tasks_needed"] > 0
    easier = compare_policies(two.shop.store, "policy0", "policy1", want=0.2)["power"]
    assert easier["tasks_needed"] is not None
    assert easier["samples_needed"] <= 16
    with pytest.raises(UserError, match="between 0 and 1"):
        compare_policies(two.shop.store, "policy0", "policy1", want=0.0)


def test_a_metric_that_needs_more_samples_than_there_are_is_refused(two):
    rows = [*_evaluated(two, 0, "policy0", EVEN, "p"), *_evaluated(two, 1, "policy1", EVEN, "p")]
    two.shop.commit(rows, batch="evaluations", purpose="x")
    with pytest.raises(UserError, match="pass@99 needs 99 samples a task, at most 16"):
        compare_policies(two.shop.store, "policy0", "policy1", metric="pass@99")
