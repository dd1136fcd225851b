"""Homes as bad days leave them: every way in says in one line what is wrong, and makes nothing worse."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import duckdb
import pytest
from warehouse_rows import campaign

from warehouse.backups import way_back
from warehouse.catalog import libpq
from warehouse.errors import GradatimError, UserError
from warehouse.failures import WarehouseFailed, said
from warehouse.home import Home, without_password
from warehouse.people_sql import run
from warehouse.store import Store
from warehouse.upkeep import backup, catalog_findings, check, cut_files, restore


def _flip(path: Path) -> None:
    content = bytearray(path.read_bytes())
    for place in range(8, len(content), 97):
        content[place] ^= 0x41
    path.write_bytes(content)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "deleted": Path.unlink,
    "cut": lambda path: path.write_bytes(path.read_bytes()[:-300]),
    "emptied": lambda path: path.write_bytes(b""),
    "flipped": _flip,
    "another file": lambda path: path.write_bytes(b"PAR1 is how it starts" * 20),
}


@pytest.fixture
def home(filled: Store, tmp_path: Path) -> Path:
    return Path(shutil.copytree(filled.home.root, tmp_path / "home"))


@pytest.mark.parametrize("damage", DAMAGE)
def test_damaged_files_are_told_by_every_way_of_reading(home: Path, damage: str) -> None:
    for path in (home / "data").rglob("*.parquet"):
        DAMAGE[damage](path)
    with pytest.raises(WarehouseFailed, match="gradatim warehouse check"):
        run(home, "SELECT * FROM tasks")
    with Store.open(home) as store:
        assert check(store)
        assert bool(cut_files(store)) == (damage != "flipped")
        ways: list[Callable[[], object]] = [
            store.tasks,
            lambda: store.rows("SELECT * FROM tasks"),
            lambda: store.named("funnel"),
        ]
        for way in ways:
            with pytest.raises(GradatimError) as told:
                way()
            assert "\n" not in str(told.value)
        with pytest.raises(WarehouseFailed), store.reading() as connection:
            connection.execute("SELECT * FROM tasks").fetchall()
        with pytest.raises(WarehouseFailed), store.upkeep() as connection:
            connection.execute("SELECT * FROM tasks").fetchall()


@pytest.mark.parametrize("left", [None, b""])
def test_rows_without_a_catalog_are_not_passed_over_by_a_new_one(home: Path, left: bytes | None) -> None:
    for name in ("catalog.sqlite-wal", "catalog.sqlite-shm", "catalog.sqlite"):
        (home / name).unlink(missing_ok=True)
    if left is not None:
        (home / "catalog.sqlite").write_bytes(left)
    for read_only in (False, True):
        with pytest.raises(UserError, match=r"holds rows|there is no warehouse"):
            Store.open(home, read_only=read_only)
    assert left is not None or not (home / "catalog.sqlite").exists()


BROKEN: dict[str, Callable[[Path], object]] = {
    "overwritten": lambda path: path.write_bytes(b"garbage" + path.read_bytes()[7:]),
    "cut": lambda path: path.write_bytes(path.read_bytes()[:20_000]),
    "overwritten within": lambda path: path.write_bytes(path.read_bytes()[:4096] + b"\xff" * 200_000),
    "emptied": lambda path: path.write_bytes(b""),
}


@pytest.mark.parametrize("damage", BROKEN)
def test_a_broken_catalog_is_named_with_the_command_that_brings_its_last_backup_back(
    home: Path, tmp_path: Path, damage: str
) -> None:
    with Store.open(home) as store:
        backup(store, tmp_path / "older")
        backup(store, tmp_path / "newest")
    with closing(sqlite3.connect(home / "catalog.sqlite")) as catalog:
        catalog.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        catalog.execute("PRAGMA journal_mode = DELETE")
    BROKEN[damage](home / "catalog.sqlite")
    (finding, *_) = catalog_findings(Home.at(home))
    assert (finding.path, finding.problem) == ("catalog.sqlite", "catalog")
    new = f"{home}-restored"
    told = f"gradatim --home {new} warehouse restore {tmp_path / 'newest'}"
    ways: list[Callable[[], object]] = [
        lambda: Store.open(home),
        lambda: Store.open(home, read_only=True),
        lambda: run(home, "SELECT 1 FROM tasks"),
    ]
    for way in ways:
        with pytest.raises(GradatimError) as raised:
            way()
        assert told in str(raised.value)
    shutil.rmtree(tmp_path / "newest")
    assert f"warehouse restore {tmp_path / 'older'}" in way_back(Home.at(home))
    assert restore(tmp_path / "older", new) == []


def test_a_home_that_cannot_be_locked_is_told(home: Path) -> None:
    (home / "lock").unlink(missing_ok=True)
    (home / "lock").mkdir()
    for way in (lambda: Store.open(home), lambda: run(home, "SELECT 1")):
        with pytest.raises(UserError, match="cannot be locked"):
            way()


def test_a_backup_writes_over_no_other_warehouse(filled: Store, store: Store, tmp_path: Path) -> None:
    copy = backup(store, tmp_path / "copy")
    with Store.open(copy) as other:
        other.commit(campaign(), batch="c", purpose="x", run="r")
    for folder in (copy, filled.home.root, store.home.root):
        with pytest.raises(UserError, match="into a"):
            backup(store, folder)
    with Store.open(copy) as other:
        assert other.rows("SELECT count(*) AS n FROM tasks") != [{"n": 0}]


def test_a_home_whose_making_broke_off_before_any_row_is_made_again(tmp_path: Path) -> None:
    Home.at(tmp_path / "home").create()
    (tmp_path / "home" / "catalog.sqlite").write_bytes(b"")
    with Store.open(tmp_path / "home") as store:
        assert store.commit(campaign(), batch="campaign", purpose="x", run="r").new


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"3", b"\xff\xfe", b'{"catalog_url": 3}', b"[" * 100_000])
def test_a_home_file_that_says_nothing_is_refused(home: Path, text: bytes) -> None:
    (home / "home.json").write_bytes(text)
    with pytest.raises(UserError, match=r"home\.json cannot be read"):
        Home.at(home)


BAD_URLS = [
    "hunter2",
    "postgres://me:hunter2@host:99999/lake",
    "postgres://me:hunter2@host:port/lake",
    "mysql://me:hunter2@host/lake",
    "postgres://[hunter2",
]


@pytest.mark.parametrize("url", BAD_URLS)
def test_a_catalog_url_that_cannot_be_read_is_not_repeated(tmp_path: Path, url: str) -> None:
    for way in (libpq, without_password, lambda u: Home.at(tmp_path, catalog_url=u)):
        with pytest.raises(UserError) as told:
            way(url)
        assert "hunter2" not in str(told.value)


@pytest.mark.parametrize("password", ["hunter2", "hunter2%20x%27y", "hunter2%5C%27 host=elsewhere", "a%40hunter2"])
def test_a_catalog_that_does_not_answer_is_told_without_its_password(tmp_path: Path, password: str) -> None:
    url = f"postgres://me:{password}@127.0.0.1:9/lake?sslmode=disable"
    for way in (lambda h: Store.open(h), lambda h: Store.open(h, read_only=True), lambda h: run(h, "SELECT 1")):
        with pytest.raises(WarehouseFailed, match=r"127\.0\.0\.1") as told:
            way(Home.at(tmp_path / "home", catalog_url=url))
        assert "hunter2" not in str(told.value)
        assert "rollback" not in str(told.value)


def test_a_password_among_the_options_of_a_url_is_left_out_and_the_other_options_stay() -> None:
    url = "postgres://me@db/lake?sslmode=require&password=hunter2&sslpassword=hunter2"
    assert without_password(url) == "postgres://me@db/lake?sslmode=require"
    assert "sslmode=require" in libpq(url)


def test_what_the_engine_says_is_one_line_without_its_pointer() -> None:
    error = duckdb.CatalogException("Catalog Error: Table x does not exist!\n\nLINE 8: FROM x\n             ^\n")
    assert said(error) == "Catalog Error: Table x does not exist!"
