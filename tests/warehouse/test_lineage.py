from __future__ import annotations

import pytest
from warehouse_rows import calibration, policy, status, task

from warehouse.diff import diff
from warehouse.errors import UserError
from warehouse.feed import changes, note_reached, reached, tasks_lacking
from warehouse.lineage import explain
from warehouse.records import Bucket, Status
from warehouse.store import Store
from warehouse.upkeep.compaction import compact


def test_a_task_is_explained_from_its_maker_to_the_checkpoint_it_fed(filled: Store) -> None:
    told = explain(filled, "t1")
    assert (told["kind"], told["id"]) == ("task", "t1")
    assert [p["parent"] for p in told["parents"]] == ["t0"]
    assert [a["generator"] for a in told["attempts"]] == ["rev"]
    assert {v["check"] for v in told["verdicts"]} == {"gold", "dedup"}
    assert [d["fed_checkpoint"] for d in told["draws"]] == ["p1"]
    assert {r["purpose"] for r in told["rollouts"]} == {"eval", "train"}
    parent = explain(filled, "t0")
    assert [c["task_id"] for c in parent["children"]] == ["t1"]
    assert [d["attempt_id"] for d in parent["duplicates"]] == ["a20"]


def test_a_stage_is_explained_by_its_plan_and_tasks(filled: Store) -> None:
    told = explain(filled, "s1")
    assert told["mixture"]["mixture_id"] == "m1"
    assert [t["task_id"] for t in told["tasks"]] == ["t0", "t1", "t2", "t3"]
    assert told["tasks"][0]["generator"] == "rev"
    assert sum(r["n_rollouts"] for r in told["rollouts"]) == 8


def test_a_checkpoint_is_explained_back_to_generators(filled: Store) -> None:
    told = explain(filled, "p1")
    assert [row["policy_id"] for row in told["line"]] == ["p1", "p0"]
    assert told["tasks"] == [
        {"stage_id": "s1", "generator": "rev", "generator_version": "1", "n_tasks": 4, "n_draws": 4, "n_rollouts": 8}
    ]
    assert {e["metric"] for e in told["evals"]} == {"pass@1", "pass@8"}
    assert explain(filled, "p0")["children"] == [{"policy_id": "p1", "stage_id": "s1"}]


def test_unknown_and_ambiguous_ids_are_told(store: Store) -> None:
    store.commit([task(1, task_id="abcd1"), task(2, task_id="abcd2")], batch="b", purpose="x", run="r")
    assert explain(store, "abcd1")["kind"] == "task"
    with pytest.raises(UserError, match="fits several things: task abcd"):
        explain(store, "abcd")
    with pytest.raises(UserError, match="no task, stage or checkpoint is called 'zzzz'"):
        explain(store, "zzzz")


def test_two_snapshots_are_compared(store: Store) -> None:
    first = store.commit(
        [task(1), status(1), task(2), status(2), policy(), calibration(1)], batch="b1", purpose="x", run="r"
    )
    second = store.commit(
        [task(3), status(3), status(2, Status.RETIRED), calibration(1, bucket=Bucket.EASY)],
        batch="b2",
        purpose="x",
        run="r",
    )
    told = diff(store, first.snapshot_id, second.snapshot_id)
    assert [r["task_id"] for r in told["added"]] == ["t3"]
    assert told["changed"] == [{"task_id": "t2", "before": "accepted", "after": "retired"}]
    assert told["bucket_moves"] == [{"policy_id": "p0", "before": "frontier", "after": "easy", "n": 1}]
    assert diff(store, second.snapshot_id, second.snapshot_id)["added"] == []


def test_the_feed_gives_each_row_once_also_across_compaction(store: Store) -> None:
    seen: list[str] = []
    since = 0
    for i in range(6):
        store.commit([task(i)], batch=f"b{i}", purpose="x", run="r")
        if i == 3:
            compact(store)
        rows, since = changes(store, "tasks", since)
        seen += rows.column("task_id").to_pylist()
    assert seen == [f"t{i}" for i in range(6)]
    assert changes(store, "tasks", since).rows.num_rows == 0
    assert changes(store, "tasks", 0).rows.num_rows == 6


def test_a_reader_of_the_feed_goes_on_where_it_left(store: Store) -> None:
    store.commit([task(1)], batch="a", purpose="x", run="r")
    assert reached(store.home, "nightly", "tasks") == 0
    until = changes(store, "tasks", 0).until
    note_reached(store.home, "nightly", "tasks", until)
    note_reached(store.home, "nightly", "tasks", until - 1)
    store.commit([task(2)], batch="b", purpose="x", run="r")
    new = changes(store, "tasks", reached(store.home, "nightly", "tasks"))
    assert new.rows.column("task_id").to_pylist() == ["t2"]
    assert reached(store.home, "nightly", "verdicts") == reached(store.home, "hourly", "tasks") == 0
    store.home.feeds.write_text("[]")
    with pytest.raises(UserError, match="start every reader anew"):
        reached(store.home, "nightly", "tasks")


def test_a_backfill_finds_what_a_check_has_not_seen(filled: Store) -> None:
    assert [t.task_id for t in tasks_lacking(filled, "audit")] == sorted(f"t{i}" for i in range(12) if i != 3)
    assert tasks_lacking(filled, "gold") == []
