"""Pocket tool sets: the plan reaches the goal, shortcuts do not, and held-out names are unseen."""

from __future__ import annotations

import random
import time
from itertools import combinations

import pytest

from synth.environments import Budget
from synth.environments.gadgets import careful, draft, hasty
from synth.environments.gadgets.kit import called_as, plan_of
from synth.environments.gadgets.making import FORMS, needed
from synth.environments.gadgets.words import FAMILIES, FOREIGN, KNOWN, names_of, split_of_family
from synth.environments.makers import MAKERS
from synth.environments.running import Trajectory, play, scripted
from synth.environments.terse import terse_call
from synth.graders import Judge
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from synth.proposals import Request
from warehouse.records import Judgement, Split, Task


@pytest.fixture(scope="module")
def judge():
    with Judge(workers=1) as judge:
        yield judge


@pytest.fixture(scope="module", params=FORMS)
def tasks(request, judge: Judge) -> list[Task]:
    maker, found = MAKERS.get(request.param), []
    for level in maker.levels:
        admission = Admission("test", judge, Novelty(), checks=maker.checks(judge.pool))
        batches = admit(maker.made(Request(maker.name, level, 12, 3), judge.pool), maker.generator, admission)
        found += [task for batch in batches for task in batch.accepted]
    return found


def played(task: Task, policy, judge: Judge) -> Trajectory:
    return play(task, policy, judge.pool, budget=Budget(calls=12), clock=time.monotonic, read=terse_call)


def test_nearly_all_drafts_are_tasks_and_their_plan_reaches_the_goal(tasks: list[Task], judge: Judge):
    assert len(tasks) >= 55
    for task in tasks:
        one = played(task, careful(), judge)
        assert (one.word.judgement, one.word.reward, one.word.cheats) == (Judgement.PASS, 1.0, ())
        named = {str(turn["tool_call"]["name"]) for turn in one.turns[1:] if turn["tool_call"]}
        assert named == needed(task)


def test_a_hurried_agent_is_wrong_or_void_more_often_than_right(tasks: list[Task], judge: Judge):
    rng = random.Random(1)
    words = [played(task, hasty(rng), judge).word for task in tasks]
    assert sum(word.judgement is Judgement.PASS for word in words) < len(words) / 2
    assert {"CHEAT", "WRONG"} <= {word.judgement.name for word in words}


def test_rules_void_a_right_answer(tasks: list[Task], judge: Judge):
    for task in [one for one in tasks if one.level == 4][:3]:
        plan = plan_of(task)
        now, wipe = called_as(plan, "now"), called_as(plan, "wipe")
        figure, steps = plan["now"][plan["key"]], [f"{now} {plan['key']}"]
        skipped = played(task, scripted([*steps, f"say {figure}", "done"]), judge)
        assert skipped.cause == f"cheat:must_use:{called_as(plan, 'note')}"
        noted = [*steps, f"{called_as(plan, 'note')} {plan['key']}", f"say {figure}"]
        assert played(task, scripted([*noted, "done"]), judge).passed
        assert played(task, scripted([*noted, wipe, "done"]), judge).cause == f"cheat:never:{wipe}"


def test_what_is_wrong_with_a_call_is_one_word(tasks: list[Task], judge: Judge):
    task = tasks[0]
    plan = plan_of(task)
    now, turn = called_as(plan, "now"), called_as(plan, "turn")
    steps = [f"{now} z", now, f"{turn} {plan['key']}", "nothing", f"say {plan['key']}", "", f"{now} a b", "done"]
    one = played(task, scripted(steps), judge)
    assert [turn["observation"] for turn in one.turns[1:-1]] == ["no"] * 7
    assert one.word.judgement is Judgement.NO_ANSWER


def test_families_share_no_name_and_foreign_ones_no_syllable():
    for one, other in combinations(FAMILIES, 2):
        assert not set(names_of(one)) & set(names_of(other))
    assert not set(KNOWN) & set(FOREIGN)
    for family in FAMILIES:
        names = names_of(family)
        assert len({name[:2] for name in names}) == len(names)
    train = {name for one in FAMILIES if split_of_family(one) is Split.TRAIN for name in names_of(one)}
    held = {name for one in FAMILIES if split_of_family(one) is Split.HELDOUT for name in names_of(one)}
    met = {name[i : i + 2] for name in train for i in (0, 2)}
    assert {name[i : i + 2] for name in held for i in (0, 2)} - met == set(FOREIGN)


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_drafts_follow_from_their_stream(form: str):
    assert draft(random.Random(5), 5, form) == draft(random.Random(5), 5, form) != draft(random.Random(6), 5, form)
    assert draft(random.Random(5), 5, form).family.startswith(form.kind)
