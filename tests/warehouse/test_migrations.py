from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from warehouse_rows import task

from warehouse import migrations
from warehouse.errors import UserError
from warehouse.records import Task
from warehouse.store import Store
from warehouse.upkeep import compact


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
