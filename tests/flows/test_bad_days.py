"""What verbs do where nothing is right: one line, nothing made, nothing told that is secret."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from flows.settings import Settings, read_settings
from warehouse.errors import UserError
from warehouse.people_sql import ROW_LIMIT, run
from warehouse.records import Source
from warehouse.store import Store

SECRET = "hunter2-planted"


@pytest.fixture
def say(verb):
    """Run a verb in this process: say(home, *arguments) -> (code, out, err)."""

    def said(home: Path, *arguments: str) -> tuple[int, str, str]:
        ended = verb(home, *arguments)
        return ended.code, ended.out, ended.err

    return said


ASKING = """
audit
audit --rejudge --dry-run
board --port 0
calibrate
compare aa bb
diff 1 2
evaluate --policy aa
explain aa
export out
feed tasks --since 0
graders conflicts
plan
plan --apply
policies
replay aa
report
review
review aa --verdict right
sql select
synth --weakest 2
synth --grown gsm8k
train --mixture aa
warehouse attach
warehouse backfill --check gold
warehouse backup out
warehouse check
warehouse clean
warehouse compact
warehouse compact --dry-run
warehouse expire
warehouse move --to postgres://me@nowhere/db
warehouse purge --source gsm8k
warehouse retain --rollouts 3d
watch
watch --once
"""
"""Verbs that work on what is there."""
SAYING = """
doctor
graders list
simulate --list
synth --family rev --n 3 --dry-run
synth --list
tables
"""
"""Verbs that answer where there is nothing yet."""


@pytest.mark.parametrize("words", ASKING.split("\n")[1:-1])
def test_a_verb_that_asks_says_what_to_run_first_and_makes_no_home(say, tmp_path, words):
    code, out, err = say(tmp_path / "a" / "b" / "c" / ".gradatim", *words.split())
    assert (code, out) == (2, "")
    assert err.startswith("gradatim: there is no warehouse in ")
    assert "see: gradatim --home DIR import|synth|run" in err
    assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("words", SAYING.split("\n")[1:-1])
def test_a_verb_that_answers_without_a_home_makes_none(say, tmp_path, words):
    code, out, err = say(tmp_path / "a" / "b" / "c" / ".gradatim", *words.split())
    assert (code, err) == (0, "")
    assert out
    assert list(tmp_path.iterdir()) == []


def test_an_error_that_nobody_foresaw_is_one_line_and_its_traceback_a_file(say, bare, tmp_path, monkeypatch):
    def broken(*_: object, **__: object) -> None:
        raise KeyError("a\nkey")

    monkeypatch.setattr("warehouse.people_sql.run", broken)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    code, out, err = say(bare, "sql", "select 1")
    assert (code, out, err.count("\n")) == (1, "", 1)
    [kept] = tmp_path.glob("gradatim-*.txt")
    assert str(kept) in err
    assert "Traceback" in kept.read_text()


@pytest.mark.parametrize(
    ("name", "value"),
    [("THREADS", "0"), ("THREADS", "two"), ("MEMORY_LIMIT", "lots"), ("MEMORY_LIMIT", "-1GB"), ("TASK_RUNNER", "x")],
)
def test_a_setting_out_of_range_is_named(say, tmp_path, monkeypatch, name, value):
    monkeypatch.setenv(f"GRADATIM_{name}", value)
    for verb in ("sql", "explain"):
        code, _, err = say(tmp_path / "home", verb, "x")
        assert (code, err.count("\n")) == (2, 1)
        assert f"GRADATIM_{name}='{value}'" in err


@pytest.mark.parametrize("limit", ["1.5 GiB", "900mib"])
def test_memory_limits_that_the_engine_takes_are_taken(bare, monkeypatch, limit):
    monkeypatch.setenv("GRADATIM_MEMORY_LIMIT", limit)
    Store.open(bare, memory_limit=read_settings().memory_limit).close()


@pytest.mark.parametrize("url", [SECRET, f"postgres://me:{SECRET}@h:99999/x", f"postgres://me:{SECRET}@127.0.0.1:9/x"])
def test_a_catalog_url_is_used_by_every_verb_and_never_repeated(say, tmp_path, monkeypatch, url):
    monkeypatch.setenv("GRADATIM_CATALOG_URL", url)
    for verb in (["sql", "select 1"], ["policies"], ["explain", "aa"], ["warehouse", "check"], ["compare", "a", "b"]):
        code, out, err = say(tmp_path / "home", *verb)
        assert (code, out, err.count("\n")) == (1 if "127" in url else 2, "", 1)
        assert "catalog URL" in err or "127.0.0.1" in err
        assert SECRET not in err


def test_settings_hide_secrets_in_their_refusal(monkeypatch):
    monkeypatch.setenv("GRADATIM_WEBHOOK", SECRET)
    assert SECRET not in repr(Settings())
    with pytest.raises(UserError):
        run(Settings(home=Path("/nowhere")).place, "select 1")


@pytest.mark.parametrize(("error", "code"), [(OSError(28, "No space left"), 1), (FileNotFoundError(2, "gone"), 2)])
def test_a_full_disk_is_a_failure_and_a_path_that_is_not_there_a_refusal(say, bare, monkeypatch, error, code):
    def failing(*_: object, **__: object) -> None:
        raise error

    monkeypatch.setattr("warehouse.people_sql.run", failing)
    found, out, err = say(bare, "sql", "select 1")
    assert (found, out, err.count("\n")) == (code, "", 1)


def test_an_interrupted_verb_says_that_it_goes_on(say, bare, monkeypatch):
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("warehouse.people_sql.run", interrupted)
    code, out, err = say(bare, "sql", "select 1")
    assert (code, out, err.strip().count("\n")) == (130, "", 0)
    assert "goes on from the last finished step" in err


def test_rows_that_were_left_out_are_told(say, bare, tmp_path):
    cut = f"select * from range({ROW_LIMIT + 1})"
    for way in (["--json"], ["--csv", str(tmp_path / "rows.csv")], ["--parquet", str(tmp_path / "rows.parquet")]):
        code, _, err = say(bare, "sql", cut, *way)
        assert (code, err.count("\n")) == (0, 1)
        assert f"only the first {ROW_LIMIT} rows" in err
    assert say(bare, "sql", f"select * from range({ROW_LIMIT})", "--json")[2] == ""


@pytest.mark.parametrize("limit", ["0", "-1", "nan", "inf", "1e300"])
def test_a_time_limit_that_is_none_is_refused(say, blank, limit):
    code, _, err = say(blank, "sql", "select 1", "--timeout-s", limit)
    assert (code, err.count("\n")) == (2, 1)
    assert "time limit" in err


@pytest.mark.parametrize("value", ["[1, 2]", "{'a': 1}", "map {'a': 1}"])
def test_a_value_that_csv_cannot_hold_is_refused(say, blank, tmp_path, value):
    code, _, err = say(blank, "sql", f"select {value} a", "--csv", str(tmp_path / "rows.csv"))
    assert (code, err.count("\n")) == (2, 1)
    assert "--parquet" in err


def test_a_flow_on_a_full_disk_is_refused_at_once(tmp_path):
    import subprocess

    from flows.room import make_room

    make_room(tmp_path / "roomy" / "prefect")
    if os.geteuid() != 0:
        pytest.skip("only root may mount a small file system")
    small = tmp_path / "small"
    small.mkdir()
    made = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", small], capture_output=True, check=False)
    if made.returncode:
        pytest.skip("mounting is not allowed here")
    try:
        with pytest.raises(UserError, match=r"MB are free at .* a flow needs 64"):
            make_room(small / "home" / "prefect")
    finally:
        subprocess.run(["umount", "-l", small], check=True)


def test_a_broken_catalog_is_a_finding_with_its_next_command(say, bare):
    (bare / "catalog.sqlite").write_bytes(b"garbage" * 1000)
    code, out, err = say(bare, "warehouse", "check", "--json")
    assert (code, [row["problem"] for row in json.loads(out)]) == (1, ["catalog"])
    assert f"gradatim --home {bare}-restored warehouse restore" in err


def test_a_lost_catalog_is_no_end_of_the_rows(say, bare, tmp_path):
    record = Source(source="mine", revision="1", licence="MIT", n_rows=1, sha256="0" * 64)
    with Store.open(bare) as store:
        store.commit([record], batch="first", purpose="x", run="r")
    (bare / "catalog.sqlite").unlink()
    code, out, err = say(bare, "warehouse", "check", "--json")
    assert (code, [row["problem"] for row in json.loads(out)]) == (1, ["catalog"])
    assert f"gradatim --home {bare} warehouse check --salvage FOLDER" in err
    code, out, err = say(bare, "warehouse", "check", "--salvage", str(tmp_path / "rescued"), "--json")
    told = {row["table"]: row for row in json.loads(out)["salvaged"]}
    assert (code, told["sources"]["n_rows"]) == (1, 1)
    assert "snapshots are numbered anew" in err
    with Store.open(tmp_path / "rescued", read_only=True) as store:
        assert store.read(Source) == [record]


def test_a_reader_of_the_feed_gets_each_row_once(say, bare):
    code, _, err = say(bare, "feed", "batches")
    assert (code, err.count("\n")) == (2, 1)
    assert "--since SNAPSHOT, --as READER or both" in err
    with Store.open(bare) as store:
        store.commit([], batch="first", purpose="x", run="r")
    n_rows = [json.loads(say(bare, "feed", "batches", "--as", "nightly", "--json")[1])["n_rows"] for _ in range(2)]
    assert n_rows == [1, 0]


@pytest.mark.parametrize("n_rows", [50, 51])
def test_a_reader_moves_only_past_rows_that_were_all_given(say, bare, tmp_path, n_rows):
    with Store.open(bare) as store:
        sources = [
            Source(source=f"s{i}", revision="1", licence="MIT", n_rows=1, sha256="0" * 64) for i in range(n_rows)
        ]
        store.commit(sources, batch="rows", purpose="x", run="r")

    def given(*arguments: str) -> int:
        code, out, _ = say(bare, "feed", "sources", *arguments, "--json")
        assert code == 0
        return int(json.loads(out)["n_rows"])

    assert [given("--as", "tried", "--dry-run") for _ in range(2)] == [n_rows, n_rows]
    code, _, err = say(bare, "feed", "sources", "--as", "person")
    assert code == 0
    assert ("stands at snapshot 0" in err) == (n_rows > 50)
    assert given("--as", "person") == (n_rows if n_rows > 50 else 0)
    assert given("--as", "person") == 0
    assert given("--as", "person", "--since", "0", "--dry-run") == n_rows
    assert given("--as", "person") == 0
    assert given("--as", "person", "--since", "0") == n_rows
    assert given("--as", "person") == 0
    out = tmp_path / "rows.parquet"
    assert say(bare, "feed", "sources", "--as", "file", "--parquet", str(out))[0] == 0
    assert out.is_file()
    assert given("--as", "file") == 0


def test_a_reader_that_is_set_back_where_a_terminal_cuts_stands_there(say, bare):
    with Store.open(bare) as store:
        rows = [Source(source=f"s{i}", revision="1", licence="MIT", n_rows=1, sha256="0" * 64) for i in range(60)]
        store.commit(rows, batch="rows", purpose="x", run="r")
    assert say(bare, "feed", "sources", "--as", "person", "--json")[0] == 0
    assert "stands at snapshot 0" in say(bare, "feed", "sources", "--as", "person", "--since", "0")[2]
    assert json.loads(say(bare, "feed", "sources", "--as", "person", "--json")[1])["n_rows"] == 60


@pytest.mark.parametrize(
    "arguments", ["report", "plan", "calibrate", "evaluate --policy aa", "synth --grown x", "sql x"]
)
def test_a_missing_warehouse_is_said_before_anything_is_loaded(arguments, tmp_path):
    told = "import sys\nfrom flows.cli import main\ntry:\n    main()\nfinally:\n"
    told += "    print(sorted({'torch', 'prefect', 'altair', 'duckdb'} & {*sys.modules}))"
    ran = subprocess.run(
        [sys.executable, "-c", told, "--home", str(tmp_path / "none"), *arguments.split()],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert (ran.returncode, ran.stdout.strip()) == (2, "[]")
    assert ran.stderr.startswith("gradatim: there is no warehouse in ")


@pytest.mark.parametrize("arguments", ["tables", "doctor", "policies", "run", "synth --list", "warehouse check"])
@pytest.mark.parametrize("below", [".", "home"])
def test_a_home_that_is_a_file_is_refused_by_every_verb(say, arguments, below, tmp_path):
    (tmp_path / "afile").write_text("")
    code, _, err = say(tmp_path / "afile" / below, *arguments.split())
    assert (code, err.count("\n")) == (2, 1)
    assert "is a file" in err


def test_traces_of_which_none_can_be_read_are_told_their_fields(say, tmp_path):
    (tmp_path / "log.jsonl").write_text('{"question": "1 + 1?"}\n')
    code, _, err = say(tmp_path / "home", "import", "traces", str(tmp_path / "log.jsonl"), "--dry-run")
    assert code == 0
    assert "an object with prompt, completion, and verdict or feedback" in " ".join(err.split())


def test_help_and_checks_of_files_need_no_warehouse(say, tmp_path):
    assert say(tmp_path / "none", "report", "--help")[0] == 0
    assert "is not there" in say(tmp_path / "none", "plan", "--check", str(tmp_path / "x.toml"))[2]


@pytest.mark.parametrize("place", ["mysql://db/x", "https://host/x"])
def test_a_move_to_an_unknown_kind_of_place_is_refused(say, blank, place):
    code, _, err = say(blank, "warehouse", "move", "--to", place)
    assert (code, err.count("\n")) == (2, 1)
    assert "is not known; allowed: s3://bucket/prefix or a folder" in err
