from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest
from warehouse_rows import campaign, policy, rollout, status, task

from warehouse.errors import UserError
from warehouse.records import Rollout, Status, Task
from warehouse.store import Store
from warehouse.upkeep import backup, check, clean, compact, expire, purge, restore, retain, salvage


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home of a warehouse after a campaign and some small commits."""
    home = tmp_path_factory.mktemp("used") / "home"
    with Store.open(home) as store:
        store.commit(campaign(), batch="campaign", purpose="campaign", run="run1")
        for i in range(20, 25):
            store.commit([task(i), status(i)], batch=f"b{i}", purpose="small", run="r")
    return home


@pytest.fixture
def busy(used: Path, tmp_path: Path) -> Iterator[Store]:
    shutil.copytree(used, tmp_path / "home")
    with Store.open(tmp_path / "home") as store:
        yield store


def _parquet(store: Store, table: str) -> list[Path]:
    return sorted((store.home.data / "main" / table).rglob("*.parquet"))


def _content(store: Store) -> list[str]:
    return [
        store.arrow(f"SELECT * FROM {v} ORDER BY ALL").to_pylist().__repr__() for v in ("current_tasks", "pass_rate")
    ]


def test_a_warehouse_in_use_passes_its_check(busy: Store) -> None:
    assert check(busy) == []


def test_compaction_merges_files_and_changes_no_answer(busy: Store) -> None:
    before, past = _content(busy), busy.snapshot() - 2
    with busy.at(past) as old:
        history = _content(old)
    told = compact(busy)
    assert told["n_files_after"] < told["n_files_before"]
    assert _content(busy) == before
    assert check(busy) == []
    with busy.at(past) as old:
        assert _content(old) == history
    busy.commit([status(20, Status.RETIRED)], batch="after", purpose="x", run="r")
    assert "t20" not in {t.task_id for t in busy.tasks()}


def test_expiry_keeps_what_a_stage_pins_and_the_newest(busy: Store) -> None:
    newest, pinned = busy.snapshot(), 1
    gone = expire(busy, older_than=timedelta(0))
    assert gone
    assert newest not in gone
    assert pinned not in gone
    with busy.at(pinned):
        pass
    with pytest.raises(UserError, match="is not kept"):
        busy.at(gone[-1])
    assert expire(busy, older_than=timedelta(0)) == []
    assert check(busy) == []


def test_cleaning_deletes_orphans_and_merged_files_only_after_a_while(busy: Store) -> None:
    before = _content(busy)
    compact(busy)
    orphan = busy.home.data / "main" / "tasks" / "ducklake-orphan.parquet"
    shutil.copyfile(_parquet(busy, "tasks")[0], orphan)
    assert clean(busy) == []
    assert clean(busy, older_than=timedelta(0), dry_run=True)
    assert orphan.exists()
    gone = clean(busy, older_than=timedelta(0))
    assert any(path.endswith("ducklake-orphan.parquet") for path in gone)
    assert not orphan.exists()
    assert _content(busy) == before
    assert check(busy) == []


@pytest.mark.parametrize(
    "damage", ["flip", *(pytest.param(d, marks=pytest.mark.slow) for d in ("delete", "truncate", "swap"))]
)
def test_a_damaged_file_is_named_and_the_rest_is_salvaged(busy: Store, tmp_path: Path, damage: str) -> None:
    victim, other = _parquet(busy, "rollouts")[0], _parquet(busy, "calibrations")[0]
    content = victim.read_bytes()
    if damage == "delete":
        victim.unlink()
    elif damage == "truncate":
        victim.write_bytes(content[: len(content) // 2])
    elif damage == "flip":
        middle = len(content) // 3
        victim.write_bytes(content[:middle] + bytes([content[middle] ^ 1]) + content[middle + 1 :])
    else:
        victim.write_bytes(other.read_bytes())
    (finding,) = check(busy)
    assert finding.table == "rollouts"
    assert finding.path == str(victim.relative_to(busy.home.data))
    assert finding.problem == {"delete": "missing", "truncate": "size", "flip": "blake3", "swap": "size"}[damage]
    assert len(busy.tasks()) == 17

    told = salvage(busy.home, tmp_path / "salvaged")
    assert told["rollouts"]["n_files_lost"] == 1
    assert told["rollouts"]["n_rows_lost"] > 0
    with Store.open(tmp_path / "salvaged") as rebuilt:
        assert rebuilt.tasks() == busy.tasks()
        assert check(rebuilt) == []
        assert not rebuilt.commit([task(20)], batch="b20", purpose="x", run="r").new
    with pytest.raises(UserError, match="is not empty"):
        salvage(busy.home, tmp_path / "salvaged")


def test_a_broken_catalog_is_named(busy: Store) -> None:
    busy.close()
    with closing(sqlite3.connect(busy.home.catalog)) as catalog:
        catalog.execute(
            "UPDATE ducklake_data_file SET record_count = record_count + 1"
            " WHERE data_file_id = (SELECT min(data_file_id) FROM ducklake_data_file)"
        )
        catalog.commit()
    with Store.open(busy.home) as store:
        assert [f.problem for f in check(store)] == ["count"]


def test_a_copied_home_works_after_the_original_is_gone(busy: Store, tmp_path: Path) -> None:
    content = _content(busy)
    busy.close()
    shutil.copytree(busy.home.root, tmp_path / "copy")
    shutil.rmtree(busy.home.root)
    with Store.open(tmp_path / "copy") as copy:
        assert _content(copy) == content
        copy.commit([task(99), status(99)], batch="new", purpose="x", run="r")
        assert check(copy) == []
    assert not busy.home.root.exists()


def test_writing_to_a_copy_leaves_the_original_alone(busy: Store, tmp_path: Path) -> None:
    before = sorted(busy.home.data.rglob("*.parquet"))
    shutil.copytree(busy.home.root, tmp_path / "copy")
    with Store.open(tmp_path / "copy") as copy:
        copy.commit([task(99)], batch="new", purpose="x", run="r")
    assert sorted(busy.home.data.rglob("*.parquet")) == before


def test_backup_and_restore(busy: Store, tmp_path: Path) -> None:
    (busy.home.blobs / "text").write_text("long")
    content = _content(busy)
    folder = backup(busy, tmp_path / "backup")
    busy.commit([task(50), status(50)], batch="later", purpose="x", run="r")
    assert restore(folder, tmp_path / "restored") == []
    with Store.open(tmp_path / "restored") as restored:
        assert _content(restored) == content
    assert (tmp_path / "restored" / "blobs" / "text").read_text() == "long"
    backup(busy, folder)
    assert restore(folder, tmp_path / "again") == []
    with Store.open(tmp_path / "again") as again:
        assert _content(again) == _content(busy)
    with pytest.raises(UserError, match="already holds a warehouse"):
        restore(folder, tmp_path / "again")
    with pytest.raises(UserError, match="is no backup"):
        restore(tmp_path / "nothing", tmp_path / "x")


def test_old_rollouts_are_let_go(store: Store) -> None:
    store.commit([task(0), policy(), rollout(1)], batch="b1", purpose="x", run="r")
    assert retain(store, rollouts=timedelta(days=1)) == 0
    assert retain(store, rollouts=timedelta(0)) == 1
    assert store.read(Rollout) == []
    assert check(store) == []
    assert store.commit([rollout(2)], batch="b2", purpose="x", run="r").new


def test_a_takedown_leaves_nothing_of_the_source(store: Store) -> None:
    mark = "unmistakable-text-of-a-source"
    store.commit(campaign(), batch="c", purpose="campaign", run="run1")
    store.commit(
        [
            task(30, source="corpus", prompt=mark, hidden_tests=f'["{mark}"]'),
            task(31, parents=("t30",), prompt=f"grown from {mark}"),
            task(32, parents=("t31",), gold=mark),
            status(30),
            status(31, Status.CANDIDATE),
            rollout(500, task_id="t31", completion=mark),
        ],
        batch="more",
        purpose="x",
        run="r",
    )
    store.commit([status(0, Status.RETIRED), status(1, Status.QUARANTINED)], batch="s1", purpose="x", run="r")
    store.commit([status(1)], batch="s2", purpose="x", run="r")
    kept = [t for t in store.read(Task) if t.task_id not in ("t7", "t8", "t30", "t31", "t32")]
    moves = {r["task_id"]: r["status"] for r in store.rows("FROM current_status")}
    told = purge(store, "corpus")
    assert told["tasks"] == 5
    assert told["private.task_secrets"] == 1
    assert store.read(Task) == kept
    left = {r["task_id"]: r["status"] for r in store.rows("FROM current_status")}
    assert left == {k: v for k, v in moves.items() if k not in ("t7", "t8", "t30", "t31", "t32")}
    assert left["t0"] == "retired"
    assert left["t1"] == "accepted"
    assert check(store) == []
    for path in [*store.home.data.rglob("*"), store.home.catalog]:
        assert path.is_dir() or mark.encode() not in path.read_bytes(), path
    with pytest.raises(UserError, match="no task comes from source 'corpus'"):
        purge(store, "corpus")
    assert store.commit([task(60)], batch="after", purpose="x", run="r").new
