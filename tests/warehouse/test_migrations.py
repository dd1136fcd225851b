from __future__ import annotations

import dataclasses
import shutil
from pathlib import Path

import pytest
from warehouse_rows import policy, rollout, task

from warehouse import migrations, people_sql
from warehouse.catalog import attach
from warehouse.engine import connect
from warehouse.errors import UserError
from warehouse.home import Home
from warehouse.records import Rollout, Task
from warehouse.store import Store
from warehouse.upkeep import compact, salvage


@pytest.fixture
def newer(tmp_path: Path) -> Path:
    """The schema of a later version: one column more."""
    folder = tmp_path / "schema"
    shutil.copytree(migrations.SCHEMA, folder)
    last = migrations.migrations()[-1].version
    (folder / f"{last + 1:04d}_00_note.sql").write_text("ALTER TABLE tasks ADD COLUMN note VARCHAR;\n")
    return folder


def test_an_older_home_is_migrated_and_keeps_its_rows(store: Store, newer: Path) -> None:
    store.commit([task(1)], batch="b", purpose="x", run="r")
    version = migrations.migrate(store._connection, newer)
    assert version == migrations.migrations(newer)[-1].version
    assert store.rows("SELECT task_id, note FROM tasks") == [{"task_id": "t1", "note": None}]
    assert migrations.migrate(store._connection, newer) == version
    with store.transaction("two files more") as connection:
        connection.execute("INSERT INTO tasks BY NAME SELECT * FROM tasks")
    compact(store)
    assert store.rows("SELECT count(note) AS noted, count(task_id) AS n FROM tasks") == [{"noted": 0, "n": 2}]


def _old_home(folder: Path) -> Home:
    """A home of the first schema with one rollout."""
    home = Home.at(folder / "old")
    home.create()
    connection = connect()
    attach(connection, home)
    first = folder / "first"
    first.mkdir()
    for file in migrations.SCHEMA.glob("0001_*.sql"):
        shutil.copy(file, first)
    migrations.migrate(connection, first, folder / "no views")
    connection.execute(
        "INSERT INTO rollouts BY NAME SELECT 'r0' AS rollout_id, 't0' AS task_id, 'p0' AS policy_id, 'eval' AS purpose,"
        " 0 AS stage_attempt, 0 AS step, 0 AS slot, 0 AS sample, 'c' AS completion, '[]' AS turns, 1 AS n_tokens,"
        " 0.0 AS latency_s, 'stop' AS finish_reason, 'PASS' AS judgement, 1.0 AS reward, '{}' AS parts, '[]' AS cheats,"
        " 'r' AS run_id, 'b' AS batch_id, now() AS written_at"
    )
    stamps = "'r' AS run_id, 'b' AS batch_id, now() AS written_at"
    connection.execute(
        "INSERT INTO tasks BY NAME SELECT 't9' AS task_id, 'code' AS domain, 'f' AS family, 1 AS level, '{}' AS params,"
        " 'program' AS answer_kind, 's' AS scaffold, '[]' AS parents, 'gradatim' AS source, 'heldout' AS split, "
        f"'verifiable' AS kind, {stamps}"
    )
    connection.execute(
        f"INSERT INTO private.task_secrets BY NAME SELECT 't9' AS task_id, 'p' AS prompt, 'g' AS gold, {stamps}"
    )
    connection.close()
    return home


def test_an_older_schema_is_read_with_todays_columns_and_views(tmp_path: Path) -> None:
    """Read-only, as a snapshot from before the migration, and by people; then migrated, salvaged and compacted."""
    home = _old_home(tmp_path)
    pooled = [{"task_id": "t0", "policy_id": "p0", "protocol_hash": None, "n": 1, "c": 1}]
    with Store.open(home, read_only=True) as store:
        (old,) = store.read(Rollout)
        assert old.protocol_hash is None
        assert store.rows("FROM eval_tries") == pooled
        before = store.snapshot()
    assert people_sql.run(home, "SELECT protocol_hash FROM rollouts").to_pylist() == [{"protocol_hash": None}]
    with Store.open(home) as store:
        assert store.read(Rollout) == [old]
        with store.at(before) as past:
            assert past.rows("FROM eval_tries") == pooled
        store.commit([task(0), policy(), rollout(1, protocol_hash="h")], batch="b2", purpose="x", run="r")
        hashes = {r.rollout_id: r.protocol_hash for r in store.read(Rollout)}
        assert hashes == {"r0": None, "r1": "h"}
    salvage(home, tmp_path / "rebuilt")
    with Store.open(tmp_path / "rebuilt") as store:
        assert {r.rollout_id: r.protocol_hash for r in store.read(Rollout)} == hashes
    with Store.open(home) as store:
        compact(store)
        assert {r.rollout_id: r.protocol_hash for r in store.read(Rollout)} == hashes


def test_what_became_private_is_read_from_where_it_was(tmp_path: Path) -> None:
    home = _old_home(tmp_path)
    with Store.open(home) as store:
        first = next(row["id"] for row in store.rows("SELECT max(snapshot_id) AS id FROM lake.snapshots()"))
        (now,) = store.tasks(status=None, task_ids=["t9"])
        with store.at(int(first) - 1) as past:
            assert past.tasks(status=None, task_ids=["t9"]) == [now]
        store.commit([dataclasses.replace(now, task_id="t8")], batch="b2", purpose="x", run="r")
        later = store.tasks(status=None, task_ids=["t8", "t9"])
        assert [(t.prompt, t.gold, t.scaffold) for t in later] == [("p", "g", "s")] * 2
        assert store.rows("SELECT task_id, scaffold FROM tasks ORDER BY task_id") == [
            {"task_id": "t8", "scaffold": None}, {"task_id": "t9", "scaffold": "s"},
        ]  # fmt: skip


def test_a_newer_home_is_refused_and_left_alone(store: Store, newer: Path) -> None:
    migrations.migrate(store._connection, newer)
    before = store.snapshot()
    for read_only in (False, True):
        with pytest.raises(UserError, match="the home has schema"):
            Store.open(store.home, read_only=read_only)
    assert store.snapshot() == before


def test_a_broken_migration_leaves_the_old_schema(store: Store, newer: Path) -> None:
    last = migrations.migrations()[-1].version
    (newer / f"{last + 1:04d}_01_broken.sql").write_text("ALTER TABLE nowhere ADD COLUMN x VARCHAR;\n")
    with pytest.raises(Exception, match="nowhere"):
        migrations.migrate(store._connection, newer)
    assert max(migrations.applied(store._connection)) == last
    store.commit([task(1)], batch="b", purpose="x", run="r")
    assert len(store.read(Task)) == 1


def test_opening_twice_migrates_once(store: Store) -> None:
    before = store.snapshot()
    with Store.open(store.home) as again:
        assert again.snapshot() == before
