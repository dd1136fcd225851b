"""Agent tasks in the warehouse: made once, with evidence, out of the way of training; episodes are rollouts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.settings import Settings
from flows.steps.agents import agent_families, agent_requests, agent_tasks, evaluate_agent
from flows.steps.auditing import sampled
from flows.steps.commissions import training_tasks
from flows.workshop import Workshop, workshop
from synth.environments import Budget
from synth.environments.repository.searching import Searcher
from synth.environments.running import Policy, called, scripted
from warehouse.errors import UserError
from warehouse.records import Domain, Judgement, Rollout, Task, Verdict


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workshop]:
    home: Path = tmp_path_factory.mktemp("agents")
    with workshop(Settings(home=home), flow="test", config={}) as shop:
        requests = agent_requests(["repository"], n=12, seed=3)
        funnel = agent_tasks(shop, requests, campaign_id="c")
        assert funnel["n_in"] == 12 == funnel["n_out"] + sum(funnel["rejected"].values())
        assert agent_tasks(shop, requests, campaign_id="c") == funnel
        yield shop


def test_accepted_tasks_have_each_piece_of_evidence(shop: Workshop):
    tasks = shop.store.tasks()
    assert len(tasks) >= 8
    assert {task.domain for task in tasks} == {Domain.AGENT}
    checks = {(row.task_id, row.check) for row in shop.store.read(Verdict) if row.outcome == "pass"}
    assert {check for _, check in checks} == {"patch_scope", "repair", "fault", "guess"}
    assert len([1 for task in tasks for check in ("repair", "fault", "guess") if (task.task_id, check) in checks]) == (
        3 * len(tasks)
    )


def test_they_are_not_trained_on_nor_audited_as_math(shop: Workshop):
    with pytest.raises(UserError, match="no accepted training task"):
        training_tasks(shop, None)
    with pytest.raises(UserError, match="nothing can be audited"):
        sampled(shop, 5, 0)


def test_scripted_agents_give_rollouts_with_turns_and_a_solve_rate(shop: Workshop):
    def solver(task: Task) -> Policy:
        return scripted([called("nothing"), called("apply_patch", patch=task.reference or ""), called("run_tests")])

    def cheat(task: Task) -> Policy:
        listed = [path for path in json.loads(task.scaffold or "") if path.startswith("tests/")]
        return scripted([called("delete_file", path=path) for path in listed])

    solved = evaluate_agent(shop, "solver", solver, family="repository", budget=Budget(calls=10))
    assert {row["solve_rate"] for row in solved} == {1.0}
    assert {(row["mean_turns"], row["recovery_rate"]) for row in solved} == {(4.0, 1.0)}
    assert {row["refused_rate"] for row in solved} == {0.25}
    caught = evaluate_agent(shop, "cheat", cheat, family="repository", budget=Budget(calls=10))
    assert {(row["solve_rate"], row["cheat_rate"]) for row in caught} == {(0.0, 1.0)}
    idle = evaluate_agent(shop, "idle", lambda task: scripted(["hm"] * 99), family="repository", budget=Budget(calls=3))
    assert {(row["solve_rate"], row["out_of_budget_rate"]) for row in idle} == {(0.0, 1.0)}
    rows = shop.store.read(Rollout)
    assert {row.cause for row in rows} == {None, "cheat:protected", "budget:calls"}
    assert {row.judgement for row in rows} == {Judgement.PASS, Judgement.CHEAT, Judgement.NO_ANSWER}
    assert all(turn["role"] in ("user", "assistant") for row in rows for turn in row.turns)


def test_a_search_without_a_model_solves_some(shop: Workshop):
    rows = evaluate_agent(shop, "search", lambda task: Searcher(), family="repository", budget=Budget(calls=100))
    assert 0 < sum(row["n_solved"] for row in rows) < sum(row["n"] for row in rows)


def test_requests_are_checked(shop: Workshop):
    families = [row["family"] for row in agent_families()]
    assert {"repository", "snippet", "snippet_sign", "gadget", "toolset"} <= set(families)
    assert families == sorted(families)
    with pytest.raises(UserError, match="unknown agent family 'repositry'; nearest: repository"):
        agent_requests(["repositry"], n=1, seed=0)
    with pytest.raises(UserError, match="no level 7"):
        agent_requests(["repository"], n=1, seed=0, level=7)
    with pytest.raises(UserError, match="n is 0"):
        agent_requests(["repository"], n=0, seed=0)
    with pytest.raises(UserError, match="no accepted task of 'other'"):
        evaluate_agent(shop, "x", lambda task: scripted([]), family="other", budget=Budget())
