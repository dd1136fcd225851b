"""Homes without a catalog: what the Parquet files say comes back, once and in order; what they do not say is named."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pytest
from warehouse_rows import campaign, policy, rollout, status, task

from warehouse.catalog import attach, locked
from warehouse.contracts import PRIVATE_TABLE, contracts
from warehouse.engine import connect
from warehouse.errors import UserError
from warehouse.home import Home
from warehouse.records import Domain, Rollout, Status
from warehouse.store import Store
from warehouse.upkeep import catalog_findings, check, compact, loose_findings, retain, salvage
from warehouse.upkeep.rescue import loose_files

TABLES = [name for name in (*contracts(), f"private.{PRIVATE_TABLE}") if name not in ("batches", "files")]
VIEWS = ("current_tasks", "pass_rate", "funnel", "buckets", "current_stages", "step_lineage", "grader_conflicts")


def _rows(store: Store) -> dict[str, list[dict[str, object]]]:
    """Every row in the order of its writing, and what the views make of them."""
    names = {name: f"SELECT * FROM {name} ORDER BY rowid" for name in TABLES}
    names["tasks"] = "SELECT * FROM tasks ORDER BY domain, rowid"  # a write lies apart by domain, which no task changes
    views = {name: f"SELECT * FROM {name} ORDER BY ALL" for name in VIEWS}
    return {name: store.rows(sql) for name, sql in (names | views).items()}


@pytest.fixture(scope="module")
def used(blank: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home after small commits, a merge, rows written anew, and rollouts let go: old files lie beside new ones."""
    folder = shutil.copytree(blank, tmp_path_factory.mktemp("used") / "home")
    with Store.open(folder) as store:
        store.commit(campaign(), batch="campaign", purpose="x", run="r")
        old = [rollout(1000 + i, policy_id="p0") for i in range(3)]
        store.commit(old, batch="let go", purpose="x", run="r")
        for i in range(20, 24):
            rows = [task(i, domain=Domain.CODE, hidden_tests="[2]"), status(i), status(0, Status.RETIRED, f"{i}")]
            store.commit(rows, batch=f"b{i}", purpose="x", run="r")
        compact(store)
        for i in range(24, 27):
            word = Status.ACCEPTED if i == 26 else Status.QUARANTINED
            store.commit(
                [task(i), task(20, domain=Domain.CODE, gold=f"{i}"), status(20, word)],
                batch=f"b{i}",
                purpose="x",
                run="r",
            )
        with store.transaction("some rows of a file let go") as connection:
            connection.execute("DELETE FROM rollouts WHERE rollout_id IN ('r1001', 'r3')")
        store.commit([policy("p9")], batch="done", purpose="x", run="r")
        store.commit([], batch="mark", purpose="nothing", run="r")
    return folder


@pytest.fixture
def home(used: Path, tmp_path: Path) -> Home:
    return Home.at(shutil.copytree(used, tmp_path / "home"))


@pytest.fixture(scope="module")
def before(used: Path) -> dict[str, list[dict[str, object]]]:
    with Store.open(used, read_only=True) as store:
        return _rows(store)


def _settled(home: Home) -> None:
    with closing(sqlite3.connect(home.catalog)) as catalog:
        catalog.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        catalog.execute("PRAGMA journal_mode = DELETE")


def _hollow(path: Path) -> None:
    path.unlink()
    with closing(sqlite3.connect(path)) as catalog:
        catalog.execute("CREATE TABLE t (i)")
        catalog.execute("DROP TABLE t")


LOSS: dict[str, Callable[[Path], object]] = {
    "deleted": lambda path: path.unlink(),
    "emptied": lambda path: path.write_bytes(b""),
    "hollow": _hollow,
    "overwritten": lambda path: path.write_bytes(b"garbage" + path.read_bytes()[7:]),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:20_000]),
}


Rows = dict[str, list[dict[str, object]]]


@pytest.mark.parametrize(
    "loss", [name if name in ("hollow", "cut") else pytest.param(name, marks=pytest.mark.slow) for name in LOSS]
)
def test_whatever_became_of_the_catalog_every_row_is_found(home: Home, before: Rows, tmp_path: Path, loss: str) -> None:
    _settled(home)
    LOSS[loss](home.catalog)
    assert [finding.problem for finding in catalog_findings(home)][:1] == ["catalog"]
    assert loose_findings(home) == []
    told = salvage(home, tmp_path / "new", dry_run=True)
    assert {name: counts["n_rows"] for name, counts in told.items()} == {name: len(before[name]) for name in TABLES}
    assert all((counts["n_files_lost"], counts["n_rows_lost"]) == (0, 0) for counts in told.values())
    assert not (tmp_path / "new").exists()


def test_every_row_comes_back_once_and_in_order(home: Home, before: Rows, tmp_path: Path) -> None:
    home.catalog.unlink()
    foreseen = salvage(home, tmp_path / "new", dry_run=True)
    assert salvage(home, tmp_path / "new") == foreseen
    with Store.open(tmp_path / "new") as rebuilt:
        found = _rows(rebuilt)
        assert {name: found[name] == before[name] for name in before} == dict.fromkeys(before, True)
        assert check(rebuilt) == []
        assert not rebuilt.commit([task(24)], batch="b24", purpose="x", run="r").new, "a write is still known by its id"
        assert rebuilt.commit([task(99)], batch="b99", purpose="x", run="r").new


def test_files_that_cannot_be_read_are_named_and_the_rest_comes_back(home: Home, before: Rows, tmp_path: Path) -> None:
    home.catalog.unlink()
    broken = sorted(path for path in home.data.rglob("*.parquet") if "metrics" in path.parts or "evals" in path.parts)
    for path in broken:
        path.write_bytes(path.read_bytes()[:-100])
    assert [finding.path for finding in loose_findings(home)] == [str(path.relative_to(home.data)) for path in broken]
    told = salvage(home, tmp_path / "new", dry_run=True)
    assert told["evals"] == {"n_rows": 0, "n_files_lost": len(broken), "n_rows_lost": None}
    assert told["tasks"]["n_rows"] == len(before["tasks"])


OTHER_KINDS = ("SELECT 1 AS a", "SELECT * EXCLUDE (run_id) FROM t", "SELECT * REPLACE ('x' AS level) FROM t")


def test_files_of_another_kind_are_named_and_the_rest_comes_back(home: Home, before: Rows, tmp_path: Path) -> None:
    file = next((home.data / "main" / "tasks").rglob("*.parquet"))
    others = [file.with_name(f"other-{i}.parquet") for i in range(len(OTHER_KINDS))]
    with closing(connect()) as connection:
        connection.execute(f"CREATE TEMP VIEW t AS FROM read_parquet('{file}', hive_partitioning = false)")
        for rows, other in zip(OTHER_KINDS, others, strict=True):
            connection.execute(f"COPY ({rows}) TO '{other}'")
    home.catalog.unlink()
    found = loose_findings(home)
    assert sorted(finding.path for finding in found) == [str(other.relative_to(home.data)) for other in others]
    told = salvage(home, tmp_path / "new")
    assert told["tasks"] == {"n_rows": len(before["tasks"]), "n_files_lost": len(others), "n_rows_lost": None}


@pytest.mark.parametrize("catalog", [True, False])
def test_a_new_home_is_not_made_in_a_file_or_among_the_rows_of_the_old_one(home: Home, catalog: bool) -> None:
    if not catalog:
        home.catalog.unlink()
    for place, word in ((home.data / "new", "lies among the files"), (home.root / "note", "give a new folder")):
        (home.root / "note").write_text("x")
        with pytest.raises(UserError, match=word):
            salvage(home, place)
    assert not (home.data / "new").exists()


def test_a_write_that_was_tried_twice_is_one_write(home: Home, before: Rows, tmp_path: Path) -> None:
    """A process that died in a commit leaves files that no snapshot knows; the same batch was then written again."""
    for path in list((home.data / "main" / "rollouts").rglob("*.parquet")):
        path.with_name(path.name.replace("ducklake-0", "ducklake-00")).write_bytes(path.read_bytes())
    home.catalog.unlink()
    assert salvage(home, tmp_path / "new", dry_run=True)["rollouts"]["n_rows"] == len(before["rollouts"])


def test_rows_of_several_months_are_copied_in_their_order(store: Store) -> None:
    """The engine numbers the rows of one write by their partitions, whatever order they come in."""
    store.commit([task(0)], batch="b", purpose="x", run="r")
    row = store.rows("SELECT * FROM tasks")[0]
    months = [datetime(2025 + i // 12, 1 + i % 12, 3, tzinfo=UTC) for i in range(9)]
    rows = [{**row, "gold": f"{i}", "written_at": month} for i, month in enumerate(months)]
    schema = store.arrow("SELECT * FROM tasks").schema
    assert store.copy_in("tasks", pa.Table.from_pylist(rows, schema=schema)) == len(months)
    found = store.rows("SELECT gold FROM tasks ORDER BY rowid")
    assert [one["gold"] for one in found] == ["0w", *map(str, range(9))]


def test_a_table_that_is_not_known_is_told(home: Home, tmp_path: Path) -> None:
    home.catalog.unlink()
    strange = home.data / "main" / "judges" / "ducklake-1.parquet"
    strange.parent.mkdir()
    strange.write_bytes(next((home.data / "main" / "tasks").rglob("*.parquet")).read_bytes())
    assert salvage(home, tmp_path / "new", dry_run=True)["judges"] == {
        "n_rows": 0,
        "n_files_lost": 1,
        "n_rows_lost": None,
    }


def test_rows_let_go_whole_files_at_a_time_may_be_back_and_no_others(home: Home, tmp_path: Path) -> None:
    with Store.open(home) as store:
        n = len(store.read(Rollout))
        retain(store, rollouts=timedelta(seconds=-1))
        assert store.read(Rollout) == []
    home.catalog.unlink()
    assert salvage(home, tmp_path / "new", dry_run=True)["rollouts"]["n_rows"] in (0, n)


def test_files_in_a_bucket_are_not_read_without_a_catalog(tmp_path: Path) -> None:
    home = Home(tmp_path, None, "s3://bucket/tasks")
    assert loose_findings(home) == []
    with pytest.raises(UserError, match="copy them to a folder 'data'"):
        loose_files(home)


def test_a_catalog_that_holds_a_lake_is_not_hollow(home: Home) -> None:
    assert home.lost_catalog is None
    connection = connect()
    with locked(home):
        attach(connection, home, read_only=True)
    connection.close()
    home.catalog.write_bytes(b"garbage" * 100)
    assert home.lost_catalog is None, "it is broken, which is another thing"
