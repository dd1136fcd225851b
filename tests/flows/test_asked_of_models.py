"""A campaign with a writer and a checker in `[models]` asks them for its share of tasks, within one purse."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

sys.path.insert(0, str(Path(__file__).parents[1] / "synth" / "engines"))

from model_server import ModelServer, serving
from test_writing import models, speak

from flows.campaign import CampaignConfig, CampaignIds, read_config
from flows.settings import Settings
from flows.steps.asked_of_models import ask_models, orders_of
from flows.steps.campaigns import config_of
from flows.steps.pools import heldout_tasks, training_tasks
from flows.workshop import Workshop, workshop
from synth.engines import ModelConfig
from synth.family import FAMILIES
from synth.tasks import make_item, to_task
from trainer.engines.referee import rubric_judge
from warehouse.errors import UserError
from warehouse.records import Domain, Run, RunStatus, Split, Status, StatusChange, Task, TaskKind

IDS = CampaignIds(campaign="c", baseline="b")


@pytest.fixture
def shop(tmp_path: Path) -> Iterator[Workshop]:
    with workshop(Settings(home=tmp_path), flow="test", config={}) as shop:
        family = FAMILIES.get("urn")
        items = [make_item(family, level=2, seed=0, index=i) for i in range(60)]
        tasks = [to_task(family, item, level=2, seed=0, index=i) for i, item in enumerate(items)]
        made = list({task.task_id: task for task in tasks}.values())
        statuses = [StatusChange(task_id=task.task_id, status=Status.ACCEPTED, reason="planted") for task in made]
        shop.commit([*made, *statuses], batch="planted", purpose="planted")
        yield shop


def campaign(server: ModelServer | None, written: dict[str, Any] | None = None, **budget: object) -> CampaignConfig:
    tables: dict[str, Any] = {"synthesis": {"families": ["urn"], "n_per_family": 100, "written": written or {}}}
    if server is not None:
        tables["models"] = models(server, **budget).model_dump(mode="json")
    return CampaignConfig.model_validate(tables)


def test_nothing_is_asked_without_both_models(shop: Workshop):
    assert orders_of(CampaignConfig()) == []
    assert campaign(None, {"n": 50}).written_families == ()
    ask_models(shop, campaign(None), IDS)
    assert "asked_of_models" not in shop.outputs


def test_shares_counts_and_styles():
    with serving(speak) as server:
        assert [(one.style, one.n) for one in orders_of(campaign(server))] == [("new_surface", 5), ("harder", 5)]
        asked = campaign(server, {"styles": ["harder", "easier", "new_surface"], "n": 8, "origin": "urn"})
        assert [(one.style, one.n, one.origin) for one in orders_of(asked)] == [
            ("harder", 3, "urn"),
            ("easier", 3, "urn"),
            ("new_surface", 2, "urn"),
        ]
        assert orders_of(campaign(server, {"n": 0})) == []
        assert orders_of(asked, "again")[0].seed != orders_of(asked)[0].seed
        assert server.requests == []


def test_what_they_make_is_trained_on_and_not_measured_and_asked_once(shop: Workshop):
    with serving(speak) as server:
        config = campaign(server, {"n": 40})
        ask_models(shop, config, IDS)
        n_asked = len(server.requests)
        ask_models(shop, config, IDS)
        assert len(server.requests) == n_asked
    attempts = shop.store.rows("SELECT generator, outcome FROM attempts WHERE campaign_id = 'c'")
    assert len(attempts) == 40
    assert {row["generator"] for row in attempts} == {"w/new_surface", "w/harder"}
    pool = training_tasks(shop, config)
    assert {task.family for task in pool} == {"urn", "new_surface", "harder"}
    assert {task.family for task in training_tasks(shop, campaign(None))} == {"urn"}
    assert {task.family for task in heldout_tasks(shop, config)} == {"urn"}


def test_one_purse_for_all_styles(shop: Workshop):
    with serving(speak) as server:
        ask_models(shop, campaign(server, {"n": 40}, tokens=4_000), IDS)
    told: Any = shop.outputs["asked_of_models"]
    assert told["used"]["tokens"] <= 4_000
    assert set(told["stopped"].values()) == {"budget: tokens"}


def test_rubric_tasks_are_trained_on_where_their_bucket_is_named(shop: Workshop):
    rubric = Task(
        task_id="r", domain=Domain.RUBRIC, family="rubric", level=0, params={"criteria": [{"text": "?", "weight": 1}]},
        prompt="Thank a neighbour.", answer_kind="rubric", kind=TaskKind.NON_VERIFIABLE,
    )  # fmt: skip
    seed = replace(rubric, task_id="t", params={"trace": {}}, family="traces")
    held = replace(rubric, task_id="h", split=Split.HELDOUT)
    tasks = [rubric, seed, held]
    changes = [StatusChange(task_id=task.task_id, status=Status.ACCEPTED, reason="planted") for task in tasks]
    shop.commit([*tasks, *changes], batch="rubrics", purpose="planted")
    judged = {"referee": {"model": "m", "lineage": "paper", "endpoints": ["http://127.0.0.1:1/v1"]}}

    def pool(*buckets: str) -> list[Task]:
        tables = {"families": ["urn"], "train_on": buckets}
        return training_tasks(shop, CampaignConfig.model_validate({"synthesis": tables, "models": judged}))

    assert {task.family for task in training_tasks(shop, campaign(None))} == {"urn"}
    assert {task.family for task in pool("verifiable", "non_verifiable")} == {"urn", "rubric"}
    assert [task.task_id for task in pool("non_verifiable")] == ["r"]
    assert {task.family for task in heldout_tasks(shop, campaign(None))} == {"urn"}
    with pytest.raises(UserError, match=r"give \[models.referee\]"):
        rubric_judge([rubric], None, shop.home.root, policy_lineage="pocket")
    config = ModelConfig.model_validate(judged["referee"])
    with pytest.raises(UserError, match="policy's lineage, 'paper'"):
        rubric_judge([rubric], config, shop.home.root, policy_lineage="paper")
    assert rubric_judge(pool("verifiable"), None, shop.home.root, policy_lineage="pocket") is None


def test_later_verbs_train_on_what_the_campaign_could_read():
    with serving(speak) as server:
        config = campaign(server, {"styles": ["harder", "easier"], "n": 4})
    reach = {"gsm8k": 0, "mbpp": 3, "harder": 5, "easier": 0}
    run = Run(
        run="r", flow="run_campaign", status=RunStatus.FINISHED, config=config.model_dump(mode="json"), code_version="",
        started_at=datetime.now(UTC),
        outputs={"sources": {name: {"tasks": 9, "within_reach": n} for name, n in reach.items()}},
    )  # fmt: skip
    found = config_of(run, "r")
    assert (found.synthesis.sources, found.written_families) == (("mbpp",), ("harder",))
    assert config_of(replace(run, outputs={}), "r") == config


def test_refusals():
    one = {"model": "m", "lineage": "paper", "endpoints": ["http://127.0.0.1:1/v1"]}
    for tables, reason in (
        ({"models": {"writer": one}}, "nobody confirms"),
        ({"models": {"writer": one, "checker": one}}, "share the lineage 'paper'"),
        ({"synthesis": {"written": {"styles": ["document"]}}}, "writes from documents"),
        ({"synthesis": {"written": {"share": -0.1}}}, "greater than or equal to 0"),
        ({"synthesis": {"train_on": ["non_verifiable"]}}, r"give \[models.referee\]"),
        ({"synthesis": {"train_on": ["adversarial"]}}, "'verifiable' or 'non_verifiable'"),
    ):
        with pytest.raises(ValidationError, match=reason):
            CampaignConfig.model_validate(tables)


def test_a_refusal_is_one_line_that_names_the_file(tmp_path: Path):
    file = tmp_path / "gradatim.toml"
    for text, said in (
        ('[synthesis]\ntrain_on = ["non_verifiable"]\n', "synthesis.train_on names non_verifiable"),
        ("[models.writer]\nmodel = 'm'\nlineage = 'l'\nengine = 'vllm'\n", "models.writer writes tasks that nobody"),
    ):
        file.write_text(text)
        with pytest.raises(UserError, match=f"^{said}.*; see: {file}$"):
            read_config(file)
