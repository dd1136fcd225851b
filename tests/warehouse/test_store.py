from __future__ import annotations

from dataclasses import fields
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from warehouse_rows import campaign, policy, rollout, status, task

from warehouse import migrations
from warehouse.contracts import contract
from warehouse.errors import UserError
from warehouse.fresh_files import fresh_files
from warehouse.records import RECORDS, Batch, DataFile, Rollout, Split, Status, StatusChange, Task
from warehouse.rows import ContractError
from warehouse.store import Store
from warehouse.upkeep import check


def test_a_commit_is_read_back_as_the_same_records(store: Store) -> None:
    rows = campaign()
    done = store.commit(rows, batch="b", purpose="all tables", run="r")
    assert done.new
    assert done.n_rows == len(rows)
    for record in RECORDS:
        if record in (Batch, DataFile):
            continue
        written = [r for r in rows if type(r) is record]
        keys = contract(record).keys
        found = store.read(record)
        assert len(found) == len(written)
        by_key = {tuple(getattr(r, k) for k in keys): r for r in found}
        assert by_key == {tuple(getattr(r, k) for k in keys): r for r in written}, record.TABLE


def test_a_repeated_batch_changes_nothing(store: Store) -> None:
    first = store.commit([task(1)], batch="b", purpose="x", run="r")
    snapshot = store.snapshot()
    again = store.commit([task(2)], batch="b", purpose="x", run="r")
    assert again == (first.snapshot_id, 1, False)
    assert store.snapshot() == snapshot
    assert [t.task_id for t in store.read(Task)] == ["t1"]


def test_an_empty_batch_is_remembered(store: Store) -> None:
    assert store.commit([], batch="b", purpose="nothing new", run="r").new
    assert not store.commit([], batch="b", purpose="nothing new", run="r").new


def test_the_snapshot_is_named_after_what_wrote_it(store: Store) -> None:
    done = store.commit([task(1)], batch="b", purpose="import of a corpus", run="r")
    told = store.rows(
        "SELECT commit_message AS m FROM ducklake_snapshots('lake') WHERE snapshot_id = $id", {"id": done.snapshot_id}
    )
    assert told == [{"m": "import of a corpus"}]


def test_every_row_is_stamped(store: Store) -> None:
    store.commit([task(1)], batch="b", purpose="x", run="r")
    row = store.rows("SELECT run_id, batch_id, written_at FROM tasks")[0]
    assert (row["run_id"], row["batch_id"]) == ("r", "b")
    assert str(row["written_at"].tzinfo) == "UTC"  # type: ignore[attr-defined]


def test_the_newest_status_counts(store: Store) -> None:
    store.commit([task(1), status(1, Status.CANDIDATE)], batch="b1", purpose="x", run="r")
    store.commit([status(1, Status.ACCEPTED)], batch="b2", purpose="x", run="r")
    store.commit([status(1, Status.RETIRED)], batch="b3", purpose="x", run="r")
    assert store.tasks() == []
    assert len(store.tasks(status="retired")) == 1
    assert [c.status for c in store.read(StatusChange)] == [Status.RETIRED]


def test_hidden_parts_lie_in_the_private_schema(store: Store) -> None:
    secret = task(2, split=Split.HELDOUT, tests="[2]", hidden_tests="[3]", scaffold="{}")
    rows = [task(1, hidden_tests="[1]", tests="[0]", scaffold="x"), secret]
    store.commit([*rows, status(1), status(2)], batch="b", purpose="x", run="r")
    assert store.tasks() == rows
    public = store.rows("SELECT * FROM tasks ORDER BY task_id")
    assert "hidden_tests" not in public[0]
    assert public[0]["tests"] == "[0]"
    assert [public[1][name] for name in ("prompt", "gold", "tests", "reference", "scaffold")] == [None] * 5
    shown = store.tasks(private=False)
    assert [t.hidden_tests for t in shown] == [None, None]
    assert shown[1].prompt == ""


def test_tasks_are_chosen_by_split_family_and_id(filled: Store) -> None:
    assert len(filled.tasks()) == 12
    assert {t.split for t in filled.tasks(split=Split.HELDOUT)} == {Split.HELDOUT}
    assert filled.tasks(family="sort") == []
    assert [t.task_id for t in filled.tasks(task_ids=["t3", "t1", "none"])] == ["t1", "t3"]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([status(1)], "task_status.task_id refers to tasks.task_id"),
        ([task(1), task(1)], "at most one row a key"),
        ([task(1, domain="poetry")], "domain is one of math, code, agent, rubric"),
        ([task(1, level=-1)], r"level lies in \[0, infinity\]"),
        ([task(1, level="high")], "tasks.level must be BIGINT"),
        ([task(1, params="{}")], "tasks.params must be VARCHAR"),
        ([task(1, prompt=None)], "prompt is never none"),
        ([task(1, tests="{")], "tests is JSON"),
        ([task(0), policy(), rollout(1, reward=None)], "reward is none exactly when"),
        ([task(0), policy(), rollout(1, mean_entropy=float("nan"))], "mean_entropy lies in"),
        ([task(0), policy(), rollout(1, parts={"x": float("nan")})], "rollouts.parts must be"),
        ([policy(parent="gone")], "policies.parent refers to policies.policy_id"),
    ],
)
def test_a_broken_commit_is_refused_whole(store: Store, rows: list[object], told: str) -> None:
    before = store.snapshot()
    with pytest.raises(ContractError, match=told):
        store.commit([task(99), *rows], batch="b", purpose="x", run="r")  # type: ignore[list-item]
    assert store.snapshot() == before
    assert store.read(Task) == []
    assert store.commit([task(1)], batch="b", purpose="x", run="r").new


def test_references_reach_into_the_store(store: Store) -> None:
    store.commit([task(0), policy()], batch="b1", purpose="x", run="r")
    assert store.commit([rollout(1), rollout(2)], batch="b2", purpose="x", run="r").new
    assert len(store.read(Rollout, "sample = $s", {"s": 2})) == 1


def test_time_travel_shows_the_past_with_todays_views(store: Store) -> None:
    first = store.commit([task(1), status(1)], batch="b1", purpose="x", run="r")
    store.commit([task(2), status(2), status(1, Status.RETIRED)], batch="b2", purpose="x", run="r")
    with store.at(first.snapshot_id) as past:
        assert [t.task_id for t in past.tasks()] == ["t1"]
        assert past.snapshot() == first.snapshot_id
        with pytest.raises(UserError, match="read-only"):
            past.commit([task(3)], batch="b3", purpose="x", run="r")
    assert [t.task_id for t in store.tasks()] == ["t2"]
    with pytest.raises(UserError, match="snapshot 999 is not kept"):
        store.at(999)


def test_reading_a_home_that_is_not_there_is_told(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="there is no warehouse"):
        Store.open(tmp_path / "none", read_only=True)
    assert not (tmp_path / "none").exists()


def test_two_stores_of_one_home_see_each_other(store: Store) -> None:
    store.commit([task(1)], batch="b1", purpose="x", run="r")
    with Store.open(store.home) as other, Store.open(store.home, read_only=True) as reader:
        other.commit([task(2)], batch="b2", purpose="x", run="r")
        store.commit([task(3)], batch="b3", purpose="x", run="r")
        assert len(reader.read(Task)) == 3


def test_every_field_of_every_record_is_stored(empty: Store) -> None:
    for record in RECORDS:
        names = {f.name for f in fields(record)}  # type: ignore[arg-type]
        stored = {r["column_name"] for r in empty.rows(f"SELECT column_name FROM (DESCRIBE {record.TABLE})")}
        assert names - stored <= {"hidden_tests"}


def test_a_batch_is_known_again_wherever_its_row_lies(store: Store) -> None:
    """In the catalog, in a Parquet file after a copy of many, and under a name that holds a quote."""
    assert store.commit([task(1)], batch="it's", purpose="x", run="r").new
    again = store.commit([task(2)], batch="it's", purpose="x", run="r")
    assert (again.new, again.n_rows) == (False, 1)
    n = migrations.INLINED_ROWS + 1
    copied = pa.table(
        {
            "batch": [f"copied{i}" for i in range(n)],
            "purpose": ["x"] * n,
            "n_rows": [0] * n,
            "run_id": ["r"] * n,
            "batch_id": ["b"] * n,
            "written_at": pa.array([datetime.now(UTC)] * n, pa.timestamp("us", tz="UTC")),
        }
    )
    store.copy_in("batches", copied)
    for name, new in (("copied77", False), ("it's", False), ("other", True)):
        assert store.commit([task(3)], batch=name, purpose="x", run="r").new == new


def test_written_files_are_found_by_their_names_and_asked_for_when_those_do_not_add_up(store: Store) -> None:
    before = datetime.now(UTC)
    store.commit([task(1), task(2, domain="code", hidden_tests="[1]")], batch="b", purpose="x", run="r")
    found = fresh_files(store.home, "tasks", before, 2)
    assert found is not None
    assert len(found) == 2
    assert len(fresh_files(store.home, "private.task_secrets", before, 1) or ()) == 1
    assert fresh_files(store.home, "tasks", before, 3) is None
    assert fresh_files(store.home, "tasks", datetime.now(UTC) + timedelta(hours=1), 2) is None
    (store.home.data / "main" / "tasks" / "ducklake-ffffffff-ffff-7000.parquet").write_bytes(b"half")
    assert fresh_files(store.home, "tasks", before, 2) is None
    store.commit([task(3)], batch="c", purpose="x", run="r")
    assert check(store) == []
