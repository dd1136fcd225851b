"""Requests that cannot be carried out: one clear line, exit code 2, no traceback, nothing lost."""

from __future__ import annotations

import gzip
import json
import shutil

import pytest

from flows.campaign import read_config
from flows.launch import launch_campaign
from flows.settings import Settings
from warehouse.errors import UserError


@pytest.fixture
def refused(verb, tmp_path):
    def run(*arguments: str, home=None, by=verb) -> str:
        ended = by(home or tmp_path / "home", *arguments)
        assert ended.code == 2, (ended.code, ended.out, ended.err)
        assert "Traceback" not in ended.err
        line = ended.err.strip().splitlines()[-1]
        assert line.startswith("gradatim: ")
        return line

    return run


def test_unknown_names_are_answered_with_the_nearest(refused, tmp_path):
    assert "nearest: rev" in refused("synth", "--family", "revv", "--n", "1")
    assert "gsm8k" in refused("import", "gsm8", "--path", __file__)
    assert "nearest: traces" in refused("import", "trace", "--path", __file__)
    assert "must be NAME=PATH" in refused("run", "--source", "gsm8k")
    assert "'gsm8k' is given twice" in refused("run", "--source", "gsm8k=a", "--source", "gsm8k=b")


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


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("[trl]\nmax_grad_nrm = 1.0\n", "nearest: max_grad_norm"),
        ("[stage.trl]\nepsilon_high = 0.28\n", "the ratio is 1"),
        ("[trl]\nhub_token = 'hf_x'\n", "set HF_TOKEN in the environment"),
        ("[trl]\nreport_to = 'mlflow'\n", "pip install mlflow"),
        ("[trl]\ntop_k = 5\n[stage.trl]\ntop_k = 5\n", "which are one table"),
        ("[sampling]\nstaleness = 1\nengine = 'vllm'\n", "needs engine lean"),
        ("[sampling]\nqueue_batches = 2\n", "staleness is 0"),
        (
            "[curriculum]\nscheduler = 'sec'\n[curriculum.scheduler_config]\ntemperature = 0\n",
            "scheduler_config.temperature of scheduler 'sec' is 0: Input should be greater than 0",
        ),
        ("[curriculum.scheduler_config]\ntemperatur = 1\n", "scheduler_config.temperatur of scheduler 'frontier'"),
        ("[curriculum]\nscheduler = 'oracle'\n", "which only the simulator has"),
        ("[curriculum.scheduler_config]\ngroup = 4\n", "scheduler_config.group is set by .stage. group_size"),
        ("[curriculum.scheduler_config]\nweights = {a = 1.0}\n", "scheduler_config.weights is set by the plan"),
        ("[curriculum]\nscheduler = 'dump'\n[curriculum.scheduler_config]\nwindow = 1e20\n", "scheduler_config.window"),
        ("[synthesis]\nsources = ['a']\nbenchmarks = ['a']\n", "synthesis.benchmarks are trained on: a"),
        ("[curriculum]\nbaseline = 'unifrom'\n", "nearest: uniform"),
        ("[synthesis]\nbenchmarks = ['aime']\n", "there is no warehouse"),
    ],
)
def test_what_a_stage_would_refuse_is_refused_before_anything_is_made(tmp_path, text, word):
    config, home = tmp_path / "campaign.toml", tmp_path / "home"
    config.write_text(text)
    with pytest.raises(UserError, match=word) as refusal:
        launch_campaign(home, config, [], new=False, dry_run=False, say=print)
    assert "hf_x" not in str(refusal.value)
    assert not Settings(home=home).place.exists


def test_a_table_trl_is_that_of_the_stage(tmp_path):
    config = tmp_path / "campaign.toml"
    config.write_text("[trl]\nmax_grad_norm = 0.5\n[stage]\nn_steps = 9\n[stage.trl]\nweight_decay = 0.1\n")
    stage = read_config(config).stage
    assert (stage.n_steps, stage.trl) == (9, {"weight_decay": 0.1, "max_grad_norm": 0.5})
    for text in ("trl = 3\n", "[trl]\nx = 1\n[stage]\ntrl = 3\n", "stage = 3\n[trl]\nx = 1\n"):
        config.write_text(text)
        with pytest.raises(UserError, match="stage"):
            read_config(config)


def test_a_source_that_is_not_there(refused, tmp_path):
    assert "is not there" in refused("run", "--source", f"gsm8k={tmp_path / 'absent.jsonl'}")
    assert "is not there" in refused("import", "gsm8k", "--path", str(tmp_path / "absent.jsonl"))


def test_a_home_below_a_file(refused, tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    assert "is a file; choose a folder" in refused("synth", "--family", "rev", "--n", "1", home=file / "home")


def test_queries_that_may_not_run(refused, blank, tmp_path):
    assert "there is no warehouse" in refused("sql", "select 1")
    shutil.copytree(blank, tmp_path / "home")
    for query in ("drop table tasks", "select * from read_text('/etc/passwd')", "select 1; select 2", "selec 1"):
        refused("sql", query)
    assert "nearest" in refused("sql", "--named", "funnl")


def test_damaged_sources_keep_what_was_committed_before(console, refused, tmp_path):
    good = {
        "question": "Ann has 3 pens and buys 4 more. How many pens does she have?",
        "answer": "3+4=<<3+4=7>>7\n#### 7",
    }
    rows = tmp_path / "rows.jsonl"
    rows.write_text(json.dumps(good) + "\n" + json.dumps({"question": "x"}) + "\n")
    home = tmp_path / "home"
    packed = tmp_path / "rows.jsonl.gz"
    packed.write_bytes(gzip.compress(json.dumps(good).encode() * 50)[:-20])
    with console(home) as run:
        line = refused("import", "gsm8k", "--path", str(rows), by=lambda _, *words: run(*words))
        assert "line 2" in line
        assert line.endswith("rows before it that are in the warehouse: 1")
        refused("import", "gsm8k", "--path", str(packed), by=lambda _, *words: run(*words))
        kept = run("sql", "select prompt from current_tasks where status = 'accepted'", "--json")
        assert json.loads(kept.out) == [{"prompt": good["question"]}]
        for name in ("gradatim", "aime"):
            words = ("synth", "--family", "rev", "--n", "1", "--unlike", name, "--dry-run")
            line = refused(*words, by=lambda _, *words: run(*words))
            assert f"benchmark '{name}' is no imported source (imported: gsm8k)" in line


SECRET = "sk-planted-in-the-wrong-place"
WRONG = {
    "stage.learning_rate": ["inf", "nan", "-1.0", "'fast'"],
    "stage.n_steps": ["0", "3.5", "[3]", "{a = 1}"],
    "seed": ["-1", "4294967296", "inf", "99999999999999999999999"],
    "evaluation.seed": ["-1", "4294967296"],
    "models.budget.tokens": ["-1", "inf"],
}


@pytest.mark.parametrize(("key", "value"), [(key, value) for key, values in WRONG.items() for value in values])
def test_a_value_that_no_run_can_use_is_refused_before_one(tmp_path, key, value):
    config = tmp_path / "campaign.toml"
    config.write_text(f"{key} = {value}\n")
    with pytest.raises(UserError, match=key.replace(".", r"\.")):
        read_config(config)


@pytest.mark.parametrize("text", [f"api_key = '{SECRET}'", f"kind = 'server'\napi_key = '{SECRET}'"])
def test_a_credential_in_a_configuration_is_not_repeated(tmp_path, text):
    config = tmp_path / "campaign.toml"
    config.write_text(f"[models.writer]\n{text}\n")
    with pytest.raises(UserError) as told:
        read_config(config)
    assert SECRET not in str(told.value)


@pytest.mark.parametrize("content", [b"\x00", b"\xff\xfe", b"a = " + b"[" * 5000, b"\x89PNG\r\n", b"a = 1979-99-99"])
def test_a_configuration_that_is_no_toml(tmp_path, content):
    config = tmp_path / "campaign.toml"
    config.write_bytes(content)
    with pytest.raises(UserError, match="is not TOML"):
        read_config(config)


def test_a_configuration_may_begin_with_a_byte_order_mark(tmp_path):
    config = tmp_path / "campaign.toml"
    config.write_bytes(b"\xef\xbb\xbfname = 'x'\r\n")
    assert read_config(config).name == "x"
