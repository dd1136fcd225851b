"""`--dry-run`: what would be done is said, and no file of the home is another afterwards."""

from __future__ import annotations

import hashlib
import inspect
import json
import shutil
import sqlite3
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest

from warehouse.store import Store

CHANGES_NOTHING = {
    *("board", "compare", "diff", "doctor", "explain", "policies", "replay", "simulate", "sql", "tables"),
    *("watch", "graders check", "graders list", "graders conflicts", "warehouse attach"),
}
"""Verbs that leave every home as it is; `sql` may write the one file that it is given."""

CATALOG = "catalog.sqlite"
ROWS = '{"question": "Ann has 3 pens and buys 4. How many?", "answer": "3+4=<<3+4=7>>7\\n#### 7"}\n'


def commands() -> dict[str, object]:
    """Every command by what is typed for it."""
    from flows.cli.app import app

    found = {str(one.name): one.callback for one in app.registered_commands}
    for group in app.registered_groups:
        for one in group.typer_instance.registered_commands:
            found[f"{group.name} {one.name or one.callback.__name__}"] = one.callback
    return found


def test_every_verb_that_changes_something_can_be_tried():
    without = {name for name, call in commands().items() if "dry_run" not in inspect.signature(call).parameters}
    assert without == CHANGES_NOTHING


def state(folder: Path) -> dict[str, str]:
    """What every file below a folder holds: of the catalog its rows, as SQLite stamps the file itself when it opens."""
    found = {}
    for path in folder.rglob("*"):
        if path.is_file() and path.name.partition("-")[0] != CATALOG:
            found[str(path.relative_to(folder))] = hashlib.sha256(path.read_bytes()).hexdigest()
    with closing(sqlite3.connect(folder / CATALOG)) as catalog:
        return found | {CATALOG: hashlib.sha256("".join(catalog.iterdump()).encode()).hexdigest()}


@pytest.fixture(scope="module")
def home(campaign, tmp_path_factory):
    """A copy of the finished campaign's home, of today's schema."""
    copy = shutil.copytree(campaign.home, tmp_path_factory.mktemp("tried") / "home")
    Store.open(copy).close()
    return copy


def tried(campaign, tmp_path) -> list[tuple[list[str], set[str]]]:
    """Every verb with something to try on a finished campaign's home, and what its answer must hold."""
    value = campaign.ended.value
    policy, rows = value["stages"][-1]["policy_out"], tmp_path / "rows.jsonl"
    rows.write_text(ROWS)
    return [
        (["run", "--config", str(campaign.config)], {"campaign_id", "finished"}),
        (["synth", "--family", "rev", "--n", "30"], {"family", "level", "n"}),
        *([(["synth", "--gym", "chain_sum", "--n", "3"], {"gym", "n"})] if find_spec("reasoning_gym") else []),
        (["import", "gsm8k", "--path", str(rows)], {"n_in", "n_readable", "imported_before"}),
        (["audit", "--n", "20", "--rejudge"], {"n_tasks", "n_stale"}),
        (["audit", "--n", "20", "--adversarial"], {"n_tasks"}),
        (["calibrate", "--policy", policy], {"most_probes"}),
        (["plan"], {"weights"}),
        (["evaluate", "--policy", policy], {"protocol", "n_rollouts"}),
        (["report"], {"report", "replaces"}),
        (["export", str(tmp_path / "out")], {"n_tasks"}),
        (["feed", "tasks", "--as", "tried"], {"until", "n_rows"}),
        (["serve"], {"deployment", "schedule"}),
        (["warehouse", "compact"], {"n_files_before", "least_after"}),
        (["warehouse", "backup", str(tmp_path / "kept")], {"n_files", "n_bytes"}),
        (["warehouse", "check", "--salvage", str(tmp_path / "rescued")], {"salvaged"}),
        (["warehouse", "backfill", "--check", "null_probe"], {"n_tasks"}),
        (["warehouse", "move", "--to", "postgres://me@nowhere/db"], {"catalog"}),
        (["warehouse", "expire", "--older-than", "0s"], {"n_snapshots"}),
        (["warehouse", "clean", "--older-than", "0s"], {"n_files"}),
        (["warehouse", "retain", "--rollouts", "0s"], {"n_rollouts"}),
        (["warehouse", "purge", "--source", "gradatim"], {"tasks"}),
    ]


def test_what_is_tried_leaves_every_file_as_it_was(campaign, home, verb, tmp_path):
    task = json.loads(verb(home, "sql", "select task_id from current_tasks limit 1", "--json").out)[0]["task_id"]
    asked, before = [*tried(campaign, tmp_path), (["review", task, "--verdict", "wrong"], {"verdict"})], state(home)
    wrong: dict[str, object] = {}
    for words, keys in asked:
        ended = verb(home, *words, "--dry-run", "--json")
        if ended.code:
            wrong[" ".join(words)] = ended.err
            continue
        value, now = json.loads(ended.out), state(home)
        missing = keys - (value[0] if isinstance(value, list) else value).keys()
        changed = {name for name in before | now if before.get(name) != now.get(name)}
        if missing or changed:
            wrong[" ".join(words)] = (missing, changed)
    assert not wrong
    assert [path.name for path in tmp_path.iterdir()] == ["rows.jsonl"]
