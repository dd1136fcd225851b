"""Unknown tools: goals that only their use reaches, rules that are kept or void the rollout."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from synth.environments import Budget
from synth.environments.makers import MAKERS
from synth.environments.running import Policy, Trajectory, called, play, scripted
from synth.environments.toolsets.making import THEMES, draft, plan_of
from synth.environments.toolsets.service import Service
from synth.graders import Judge
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from synth.proposals import Request
from synth.sandbox import Pool
from synth.seeds import stream
from synth.tasks import split_of
from warehouse.records import Judgement, Split, Task

TOOLSET = MAKERS.get("toolset")


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge(workers=1) as judge:
        yield judge


@pytest.fixture(scope="module")
def tasks(judge: Judge) -> list[Task]:
    made: list[Task] = []
    for level in TOOLSET.levels:
        admission = Admission("c", judge, Novelty(), checks=TOOLSET.checks(judge.pool))
        for batch in admit(TOOLSET.made(Request("toolset", level, 30, 0), judge.pool), TOOLSET.generator, admission):
            assert batch.n_out >= 28, batch.rejected
            made += batch.accepted
    return made


def played(task: Task, policy: Policy, pool: Pool) -> Trajectory:
    return play(task, policy, pool, budget=Budget(calls=20), clock=time.monotonic)


def of_level(tasks: list[Task], level: int) -> Task:
    return next(task for task in tasks if task.level == level)


def service(task: Task) -> Service:
    return Service.made(json.loads(task.scaffold or ""))


def test_every_plan_reaches_its_goal_and_the_first_calls_alone_do_not(tasks: list[Task], judge: Judge):
    for task in tasks[::10]:
        assert played(task, scripted(plan_of(task)), judge.pool).passed
        assert played(task, scripted(plan_of(task)[:-1]), judge.pool).word.judgement is not Judgement.PASS
        assert played(task, scripted(plan_of(task)[-1:]), judge.pool).passed == (task.level < 5)


def test_submissions_are_judged_as_completions_too(tasks: list[Task], judge: Judge):
    words = judge.judge([tasks[0]] * 3, [tasks[0].gold or "", "12", ""])
    assert [word.judgement for word in words] == [Judgement.PASS, Judgement.WRONG, Judgement.NO_ANSWER]


def test_a_figure_that_is_out_of_date_is_wrong(tasks: list[Task], judge: Judge):
    task = of_level(tasks, 1)
    found = service(task)
    wrong = found.old[next(key for key, value in found.figures.items() if str(value) == task.gold)]
    one = played(task, scripted([called("answer", value=wrong)]), judge.pool)
    assert one.word.judgement is Judgement.WRONG


def test_a_busy_tool_is_an_observation_from_which_a_policy_recovers(tasks: list[Task], judge: Judge):
    one = played(of_level(tasks, 4), scripted(plan_of(of_level(tasks, 4))), judge.pool)
    assert "busy" in str(one.turns[1]["observation"])
    assert one.passed


def test_a_tool_asks_for_what_another_one_gives(tasks: list[Task], judge: Judge):
    task = of_level(tasks, 3)
    figure = service(task).name_of("figure")
    steps = [
        step.replace(service(task).key_pass, "guess") for step in plan_of(task) if json.loads(step)["name"] == figure
    ]
    one = played(task, scripted(steps), judge.pool)
    assert f"get one from {service(task).name_of('open')}" in str(one.turns[1]["observation"])


def test_rules_are_told_and_a_broken_one_voids_the_rollout(tasks: list[Task], judge: Judge):
    task = of_level(tasks, 5)
    check, wipe = service(task).name_of("check"), service(task).name_of("wipe")
    honest = played(task, scripted(plan_of(task)), judge.pool)
    assert f"You must use {check}. Never call {wipe}." in str(honest.turns[0]["text"])
    assert honest.passed
    skipped = played(task, scripted([s for s in plan_of(task) if json.loads(s)["name"] != check]), judge.pool)
    assert (skipped.word.judgement, skipped.word.cheats) == (Judgement.CHEAT, (f"must_use:{check}",))
    tried = played(
        task, scripted([called(check), *(s for s in plan_of(task) if json.loads(s)["name"] != check)]), judge.pool
    )
    assert tried.word.cheats == (f"must_use:{check}",)
    wiped = played(task, scripted([*plan_of(task), called(wipe)]), judge.pool)
    assert (wiped.word.reward, wiped.word.cheats) == (0.0, (f"never:{wipe}",))
    assert wiped.cause == f"cheat:never:{wipe}"


def test_tool_sets_differ_and_held_out_ones_are_unseen(tasks: list[Task]):
    names = [frozenset(one.name for one in service(task).specs) for task in tasks]
    assert len(set(names)) > 0.9 * len(names)
    assert draft(stream("t"), 5) == draft(stream("t"), 5)
    assert {split_of(theme) for theme in THEMES} >= {Split.TRAIN, Split.HELDOUT}
    seen = {task.params["tool_family"] for task in tasks if task.split is Split.TRAIN}
    assert not seen & {task.params["tool_family"] for task in tasks if task.split is not Split.TRAIN}
    assert all(task.split is split_of(str(task.params["tool_family"])) for task in tasks)


def test_state_lasts_for_one_episode_only(tasks: list[Task], judge: Judge):
    task = next(t for t in tasks if t.level < 5 and any(one.kind == "wipe" for one in service(t).specs))
    wipe, listed = called(service(task).name_of("wipe")), called(service(task).name_of("list"))
    first = played(task, scripted([wipe, listed]), judge.pool)
    second = played(task, scripted([listed]), judge.pool)
    assert first.turns[2]["observation"] == "nothing"
    assert len(str(second.turns[1]["observation"])) > 10
