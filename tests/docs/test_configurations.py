"""The configurations that guides show are ones that gradatim reads, and their SQL is SQL of this warehouse."""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent))

from pages import DOCS, PAGES, blocks, commands

from flows.campaign import read_config
from synth.engines import ModelsConfig
from trainer.knobs import check_stage
from warehouse import people_sql
from warehouse.store import Store

TITLED = {block.title: block for page in DOCS.rglob("*.md") for block in blocks(page.read_text()) if block.title}


def test_the_campaign_of_the_gpu_guide_is_read(tmp_path):
    file = tmp_path / "gsm8k.toml"
    file.write_text(TITLED["gsm8k.campaign.toml"].body)
    config = read_config(file)
    assert config.curriculum.baseline is None
    assert config.policy.lora is not None
    assert config.sampling.engine == "vllm"


@pytest.mark.parametrize("title", ["stage.campaign.toml", "lora.campaign.toml"])
def test_the_stages_of_the_training_guide_are_ones_that_can_run(tmp_path, title):
    file = tmp_path / title
    file.write_text(TITLED[title].body.replace('report_to = ["tensorboard"]\n', ""))
    config = read_config(file)
    check_stage(config.stage, config.sampling)


def test_the_models_of_the_models_guide_are_read():
    config = ModelsConfig.model_validate(tomllib.loads(TITLED["models.toml"].body)["models"])
    assert config.writer is not None
    assert config.checker is not None
    assert config.writer.lineage != config.checker.lineage


QUERIES = sorted(
    {
        words[1]
        for page in PAGES
        for words in commands(page.read_text())
        if words[:1] == ["sql"] and len(words) > 1 and not words[1].startswith("-")
    }
)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with Store.open(tmp_path_factory.mktemp("home")) as store:
        yield store


@pytest.mark.parametrize("query", QUERIES)
def test_the_sql_of_the_pages_runs(store, query):
    people_sql.run(store.home, query)
