"""Requests that cannot be carried out: one clear line, exit code 2, no traceback, nothing lost."""

from __future__ import annotations

import gzip
import json

import pytest


@pytest.fixture
def refused(gradatim, tmp_path):
    def run(*arguments: str, home=None) -> str:
        ended = gradatim(home or tmp_path / "home", *arguments)
        assert ended.code == 2, (ended.code, ended.out, ended.err)
        assert "Traceback" not in ended.err
        line = ended.err.strip().splitlines()[-1]
        assert line.startswith("gradatim: ")
        return line

    return run


def test_unknown_names_are_answered_with_the_nearest(refused, tmp_path):
    assert "nearest: rev" in refused("synth", "--family", "revv", "--n", "1")
    assert "gsm8k" in refused("import", "gsm8", "--path", __file__)
    assert "must be NAME=PATH" in refused("run", "--source", "gsm8k")


def test_a_configuration_says_which_key_is_unknown_and_which_value_is_out_of_range(refused, tmp_path):
    config = tmp_path / "campaign.toml"
    config.write_text("[stage]\nn_stepz = 3\n")
    assert "stage.n_steps" in refused("run", "--config", str(config))
    config.write_text("[stage]\nn_steps = 0\n")
    assert "stage.n_steps" in refused("run", "--config", str(config))
    config.write_text("[synthesis]\nfamilies = ['nope']\n")
    assert "nope" in refused("run", "--config", str(config))
    config.write_text("[stage\n")
    assert "is not TOML" in refused("run", "--config", str(config))
    assert "is not a file" in refused("run", "--config", str(tmp_path / "absent.toml"))


def test_a_source_that_is_not_there(refused, tmp_path):
    assert "is not there" in refused("run", "--source", f"gsm8k={tmp_path / 'absent.jsonl'}")
    assert "is not there" in refused("import", "gsm8k", "--path", str(tmp_path / "absent.jsonl"))


def test_a_home_that_cannot_be_written(refused, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    assert "cannot be written" in refused("synth", "--family", "rev", "--n", "1", home=file / "home")


def test_queries_that_may_not_run(refused, gradatim, tmp_path):
    home = tmp_path / "home"
    assert "there is no warehouse" in refused("sql", "select 1")
    assert gradatim(home, "doctor", "--json").code == 0
    for query in ("drop table tasks", "select * from read_text('/etc/passwd')", "select 1; select 2", "selec 1"):
        refused("sql", query)
    assert "nearest" in refused("sql", "--named", "funnl")


def test_damaged_sources_keep_what_was_committed_before(gradatim, refused, tmp_path):
    good = {
        "question": "Ann has 3 pens and buys 4 more. How many pens does she have?",
        "answer": "3+4=<<3+4=7>>7\n#### 7",
    }
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps(good) + "\n" + json.dumps({"question": "x"}) + "\n")
    home = tmp_path / "home"
    line = refused("import", "gsm8k", "--path", str(rows), home=home)
    assert "line 2" in line
    packed = tmp_path / "rows.jsonl.gz"
    packed.write_bytes(gzip.compress(json.dumps(good).encode() * 50)[:-20])
    refused("import", "gsm8k", "--path", str(packed), home=home)
    assert gradatim(home, "sql", "select count(*) n from tasks", "--json").code == 0
