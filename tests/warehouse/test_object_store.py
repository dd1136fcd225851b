"""Parquet files in a bucket, by one URL in the settings."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from object_store import binary, server
from warehouse_rows import campaign, status, task

from flows.settings import Settings
from flows.workshop import open_store
from warehouse import people_sql
from warehouse.errors import GradatimError, UserError
from warehouse.home import Home
from warehouse.store import Store
from warehouse.upkeep import backup, check, clean, compact, expire, purge

SECRET = "planted-secret-of-the-bucket"


@pytest.mark.slow
def test_a_warehouse_in_a_bucket_works_the_same(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    command = binary()
    if command is None:
        pytest.skip("no S3-compatible server here: pip install 'moto[server]'")
    store.commit(campaign(), batch="c", purpose="x", run="run1")
    answers = {name: store.named(name).to_pylist() for name in ("funnel", "buckets", "weak_spots", "pass_at_k")}
    root = tmp_path / "bucket-home"
    with server(command, "tasks") as endpoint:
        for name, value in {
            "AWS_ENDPOINT_URL_S3": endpoint,
            "AWS_ACCESS_KEY_ID": "me",
            "AWS_SECRET_ACCESS_KEY": SECRET,
            "GRADATIM_DATA_URL": "s3://tasks/lake",
        }.items():
            monkeypatch.setenv(name, value)
        with open_store(Settings(home=root)) as lake:
            lake.commit(campaign(), batch="c", purpose="x", run="run1")
            assert lake.tasks() == store.tasks()
            assert {name: lake.named(name).to_pylist() for name in answers} == answers
            before = lake.snapshot()
            for i in range(50, 54):
                lake.commit([task(i), status(i)], batch=f"b{i}", purpose="x", run="r")
            assert not lake.commit([task(50)], batch="b50", purpose="x", run="r").new
            with lake.at(before) as past:
                assert len(past.tasks()) == 12
            merged = compact(lake)
            assert merged["n_files_after"] < merged["n_files_before"]
            expire(lake, older_than=timedelta(0))
            clean(lake, older_than=timedelta(0))
            assert purge(lake, "corpus")["tasks"] == 2
            assert check(lake) == []
            with pytest.raises(UserError, match="bucket's copy"):
                backup(lake, tmp_path / "backup")
        monkeypatch.delenv("GRADATIM_DATA_URL")
        rows = people_sql.run(root, "SELECT count(*) AS n FROM current_tasks").to_pylist()
        assert rows == [{"n": 14}]
        for sql in ("SELECT * FROM private.task_secrets", "SELECT * FROM 's3://tasks/lake/main/x'"):
            with pytest.raises(UserError):
                people_sql.run(root, sql)
        with pytest.raises(UserError, match=r"lie in s3://tasks/lake, not in s3://other"):
            open_store(Settings(home=root, data_url="s3://other"))
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "")
        with pytest.raises(UserError, match="AWS_SECRET_ACCESS_KEY is not set"):
            Store.open(root)
    assert not list((root / "data").rglob("*.parquet"))
    assert all(SECRET.encode() not in path.read_bytes() for path in root.rglob("*") if path.is_file())
    assert SECRET not in "".join(capfd.readouterr())


def test_urls_of_data(tmp_path: Path) -> None:
    for url in ("gs://bucket/x", "s3://key:secret@bucket/x", "s3:///x"):
        with pytest.raises(UserError, match="data URL") as told:
            Store.open(Home.at(tmp_path / "home", data_url=url))
        assert "secret" not in str(told.value)


def test_a_home_keeps_its_files_where_they_are(store: Store, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="lie in"):
        Home.at(store.home.root, data_url=str(tmp_path / "elsewhere"))
    assert Home.at(store.home.root, data_url=str(store.home.data)).data_path == store.home.data_path


def test_a_bucket_that_is_not_there_says_so_without_a_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {
        "ENDPOINT_URL_S3": "http://127.0.0.1:9",
        "ACCESS_KEY_ID": "me",
        "SECRET_ACCESS_KEY": SECRET,
    }.items():
        monkeypatch.setenv(f"AWS_{name}", value)
    home = Home.at(tmp_path / "home", data_url="s3://nowhere/lake")
    with Store.open(home) as lake, pytest.raises(GradatimError) as told:
        lake.commit([task(1)], batch="b", purpose="x", run="r")
    assert SECRET not in str(told.value)
