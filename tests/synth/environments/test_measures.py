"""Measures of episodes against counts by hand, and stored episodes said again."""

from __future__ import annotations

import json
import time

import pytest

from synth.environments import Budget
from synth.environments.makers import MAKERS
from synth.environments.measures import behaviour, within_tokens, within_turns
from synth.environments.replaying import differences, replayed
from synth.environments.running import Policy, called, play, rollout_of, scripted
from synth.environments.snippets import careful, cheating
from synth.environments.terse import terse_call
from synth.environments.toolsets.making import plan_of
from synth.environments.toolsets.readers import hasty, reading
from synth.graders import Judge
from synth.proposals import Request
from warehouse.records import Rollout, Task


@pytest.fixture(scope="module")
def pool():
    with Judge(workers=1) as judge:
        yield judge.pool


def tasks_of(family: str, level: int, pool, n: int = 3) -> list[Task]:
    maker = MAKERS.get(family)
    return [one.subject.task for one in maker.made(Request(family, level, n, 2), pool)]


def row(task: Task, agent: Policy, pool, *, terse: bool = False, calls: int = 30) -> Rollout:
    read = {"read": terse_call} if terse else {}
    one = play(task, agent, pool, budget=Budget(calls=calls), clock=time.monotonic, **read)
    return rollout_of(one, policy_id="p", owner="o")


def test_each_measure_is_what_one_counts(pool):
    tasks = tasks_of("toolset", 5, pool)
    needed = {task.task_id: frozenset(name for name in ("answer",)) for task in tasks}
    plans = [plan_of(task) for task in tasks]
    rows = [
        row(tasks[0], scripted(plans[0]), pool),
        row(tasks[1], scripted(["nonsense", *plans[1]]), pool),
        row(tasks[2], scripted([called("answer", value=1)]), pool),
        row(tasks_of("toolset", 1, pool)[0], scripted(["hm"] * 9), pool, calls=4),
    ]
    found = behaviour(rows, needed)
    assert (found.n, found.solve_rate) == (4, 0.5)
    refused = [sum(turn.get("error") == "refused" for turn in one.turns) for one in rows]
    solved = [True, True, False, False]
    assert found.recovery == sum(s for s, r in zip(solved, refused, strict=True) if r) / sum(map(bool, refused))
    assert found.refused_rate == sum(refused) / sum(len(one.turns) - 1 for one in rows)
    assert (found.violation_rate, found.cheat_rate, found.out_of_budget_rate) == (0.25, 0.25, 0.25)
    assert found.mean_turns == sum(len(one.turns) - 1 for one in rows) / 4
    names = [turn["tool_call"]["name"] if turn["tool_call"] else "" for one in rows[:3] for turn in one.turns[1:]]
    kept = [name for name in names if name != "submit"]
    assert found.tool_choice == kept.count("answer") / len(kept)
    curve = within_turns(rows)
    assert curve[-1].solve_rate == 0.5
    assert [point.solve_rate for point in curve] == sorted(point.solve_rate for point in curve)
    assert within_tokens(rows)[-1].solve_rate == 0.5


@pytest.mark.parametrize("level", [1, 2, 3, 4, 5])
def test_who_reads_what_tools_say_solves_and_who_does_not_falls_into_the_traps(level, pool):
    tasks = tasks_of("toolset", level, pool, n=8)
    needed = {task.task_id: frozenset(json.loads(step)["name"] for step in plan_of(task)) for task in tasks}
    found = behaviour([row(task, reading(), pool) for task in tasks], needed)
    assert (found.solve_rate, found.tool_choice, found.violation_rate) == (1.0, 1.0, 0.0)
    blind = behaviour([row(task, hasty(), pool) for task in tasks], needed)
    assert blind.solve_rate < 1
    assert (blind.violation_rate == 1.0) == (level == 5)


def test_nothing_has_no_rates():
    assert behaviour([]) == behaviour([])._replace(n=0)
    assert set(behaviour([])[1:]) == {None}
    assert within_turns([]) == within_tokens([]) == []


@pytest.mark.parametrize(("calls", "agent"), [(30, careful), (30, cheating), (3, careful)])
def test_a_stored_episode_is_answered_as_it_was(calls, agent, pool):
    for task in tasks_of("snippet", 2, pool):
        stored = row(task, agent(), pool, terse=True, calls=calls)
        again = replayed(task, stored.turns, pool, clock=time.monotonic)
        assert differences(stored.turns, again.turns) == []
        assert (again.word.judgement, again.word.reward, again.word.cheats) == (
            stored.judgement, stored.reward, stored.cheats,
        )  # fmt: skip


def test_a_replay_tells_an_answer_that_changed_and_reads_json_too(pool):
    task = tasks_of("toolset", 1, pool)[0]
    stored = row(task, scripted(["hm", *plan_of(task)]), pool)
    turns = [dict(turn) for turn in stored.turns]
    assert differences(turns, replayed(task, turns, pool, clock=time.monotonic).turns) == []
    turns[2]["observation"] = "something else"
    assert differences(turns, replayed(task, turns, pool, clock=time.monotonic).turns) == [2]
    assert differences(turns[:2], replayed(task, turns, pool, clock=time.monotonic).turns)[0] == 2
