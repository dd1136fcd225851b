"""A campaign of agent tasks, step by step: warm start on scripts, probes, evaluation, replay, and judging again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import ValidationError

from flows.campaign import CampaignConfig, read_config
from flows.settings import Settings
from flows.steps import evaluation, synthesis
from flows.steps.agents import agent_tasks, episodes_of, requests_of
from flows.steps.auditing import rejudge_stale
from flows.steps.calibration import calibrate
from flows.steps.replaying import replay
from flows.steps.warm_start import start_policy
from flows.workshop import Workshop, workshop
from synth.environments.makers import MAKERS
from warehouse.records import Domain, Rollout, RolloutPurpose, Split, Verdict

CONFIG = Path(__file__).parents[2] / "configs" / "agent.toml"


def small() -> CampaignConfig:
    config = read_config(CONFIG)
    return config.model_copy(
        update={
            "synthesis": config.synthesis.model_copy(update={"n_per_family": 120, "families": ("snippet",)}),
            "warm_start": config.warm_start.model_copy(update={"n_steps": 40, "n_scripts": 64}),
            "evaluation": config.evaluation.model_copy(update={"n_tasks": 6, "n_samples": 2, "k": 2}),
            "stage": config.stage.model_copy(update={"n_steps": 20}),
        }
    )


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    home: Path = tmp_path_factory.mktemp("agents")
    with workshop(Settings(home=home), flow="test", config={}) as shop:
        assert synthesis.requests_of(small()) == []
        funnel = agent_tasks(shop, requests_of(small()), campaign_id="c")
        assert funnel["n_in"] == 120 == funnel["n_out"] + sum(funnel["rejected"].values())
        yield shop


@pytest.fixture(scope="module")
def policy_id(shop: Workshop) -> str:
    return start_policy(shop, small(), campaign_id="c")


def test_probes_and_evaluations_of_agent_tasks_are_episodes(shop: Workshop, policy_id: str):
    calibrate(shop, small(), policy_id)
    eval_id = evaluation.evaluate_policy(shop, small(), policy_id, campaign_id="c", index=0)
    figures = evaluation.all_figures(shop, eval_id)["all"]
    assert {"pass@1", "pass@2"} <= set(figures)
    rows = shop.store.read(Rollout)
    assert {row.purpose for row in rows} == {RolloutPurpose.PROBE, RolloutPurpose.EVAL}
    assert all(len(row.turns) > 1 for row in rows)
    played = episodes_of(shop, policy_id)
    assert sum(row["n"] for row in played) == 12
    assert {row["family"] for row in played} == {"snippet"}


def test_an_episode_is_replayed_turn_by_turn(shop: Workshop, policy_id: str):
    for row in shop.store.read(Rollout)[:5]:
        found = replay(shop, row.rollout_id)
        assert found["same"], found


def test_agent_tasks_are_judged_again_when_their_evidence_moves_on(shop: Workshop, monkeypatch: pytest.MonkeyPatch):
    assert rejudge_stale(shop) == {"rejudged": 0, "quarantined": 0, "undecided": 0}
    maker = MAKERS.get("snippet")
    own = maker.checks

    def moved(pool):
        return [replace(one, version=one.version + 1) for one in own(pool)]

    monkeypatch.setitem(MAKERS._things, "snippet", replace(maker, checks=moved))
    n, before = len(shop.store.tasks()), len(shop.store.read(Verdict))
    assert rejudge_stale(shop) == {"rejudged": n, "quarantined": 0, "undecided": 0}
    assert rejudge_stale(shop)["rejudged"] == 0
    assert len(shop.store.read(Verdict)) == before + 2 * n


def test_what_decides_held_out_agent_tasks_is_private(shop: Workshop):
    held = shop.store.tasks(split=Split.HELDOUT)
    assert held
    assert all(task.domain is Domain.AGENT and task.scaffold and task.hidden_tests for task in held)
    rows = shop.store.rows("SELECT prompt, scaffold, reference, params FROM tasks WHERE split = 'heldout'")
    assert {(row["prompt"], row["scaffold"], row["reference"]) for row in rows} == {(None, None, None)}
    for task in held:
        assert not any(line in str(task.params) for line in (task.reference or "").split("\n")[1:])


def test_a_campaign_is_of_one_kind():
    families = read_config(CONFIG).synthesis.families
    assert set(families) <= set(MAKERS.names())
    assert len({(name, level) for name in families for level in MAKERS.get(name).levels}) >= 15
    with pytest.raises(ValidationError, match="snippet are agent tasks"):
        CampaignConfig.model_validate({"synthesis": {"families": ["rev", "snippet"]}})
