"""Every verb that prints a table, on a terminal of 60 columns without colour and without UTF-8."""

from __future__ import annotations

import io
import json
import sys

import pytest

PLAIN = {"COLUMNS": "60", "NO_COLOR": "1", "TERM": "dumb", "LC_ALL": "C", "LANG": "C", "PYTHONUTF8": "0"}

VERBS = """
audit --dry-run
calibrate --policy {policy} --dry-run
compare {first} {policy}
diff 3 40
doctor
evaluate --policy {policy} --dry-run
explain {task}
explain {policy}
export {folder}/out --dry-run
feed policies --since 0
graders conflicts
graders list
plan
policies
replay {rollout}
report --dry-run
review --list
review {task}
run --config {config} --dry-run
serve --dry-run
simulate --list
sql 'é×…'
sql rows
synth --family rev --dry-run
synth --list
tables
tables rollouts
warehouse attach
warehouse check
warehouse compact --dry-run
watch --once
"""
SQL = {"'é×…'": "select 'é × … 𝒙' as sign, 1 as n", "rows": "select * from rollouts limit 70"}


@pytest.fixture
def plain(campaign, monkeypatch):
    """Run a verb on the finished campaign's home as a poor terminal shows it: its exit code and standard output."""
    from flows.cli import boundary

    for name, value in PLAIN.items():
        monkeypatch.setenv(name, value)

    def run(*words: str) -> tuple[object, str]:
        out, err = (io.TextIOWrapper(io.BytesIO(), encoding="ascii") for _ in range(2))
        with monkeypatch.context() as here:
            here.setattr(sys, "stdout", out)
            here.setattr(sys, "stderr", err)
            here.setattr(sys, "argv", ["gradatim", "--home", str(campaign.home), *words])
            with pytest.raises(SystemExit) as ended:
                boundary.main()
            out.flush()
        return ended.value.code, out.buffer.getvalue().decode("ascii")

    return run


def test_every_table_fits_60_columns_without_colour_or_utf_8(campaign, plain, tmp_path):
    def one(query: str) -> str:
        [row] = json.loads(plain("sql", query, "--json")[1])
        return str(next(iter(row.values())))

    stages = campaign.ended.value["stages"]
    names = {
        "policy": stages[0]["policy_out"],
        "first": stages[0]["policy_in"],
        "task": one("select task_id from current_tasks limit 1"),
        "rollout": one("select rollout_id from rollouts limit 1"),
        "config": campaign.config,
        "folder": tmp_path,
    }
    wrong = {}
    for line in VERBS.strip().splitlines():
        words = [SQL.get(word, word) for word in line.format(**names).split()]
        code, shown = plain(*words)
        wide = [text for text in shown.splitlines() if len(text) > 60] if words[1:] != ["attach"] else []
        if code or not shown or wide or "\x1b" in shown:
            wrong[line] = (code, wide[:2], shown[:80])
    assert not wrong
