"""Every registered family keeps the family protocol's promises."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from synth.demonstrations import corrupted
from synth.family import FAMILIES, Family, Item
from synth.graders import Judge
from synth.seeds import stream
from synth.tasks import make_item, regenerate, to_task
from warehouse.records import Domain, Judgement, Task

POCKET_ALPHABET = set("abcdefghijklmnopqrstuvwxyz0123456789 ?+-*/%=<>()[]:,.'!&|^#_\n")
N_MATH, N_CODE = 6, 1


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge(workers=2) as judge:
        yield judge


def items(family: Family, *, seed: int = 0) -> list[tuple[int, int, Item]]:
    n = N_CODE if family.domain is Domain.CODE else N_MATH
    return [(level, i, make_item(family, level=level, seed=seed, index=i)) for level in family.levels for i in range(n)]


def tasks(family: Family, *, seed: int = 0) -> list[Task]:
    return [to_task(family, item, level=level, seed=seed, index=i) for level, i, item in items(family, seed=seed)]


families = pytest.mark.parametrize("family", list(FAMILIES), ids=lambda family: family.name)


def test_there_are_families_enough_of_both_domains():
    pocket = [family for family in FAMILIES if family.pocket]
    assert len(list(FAMILIES)) >= 30
    assert len(pocket) >= 8
    assert {family.domain for family in pocket} == {Domain.MATH, Domain.CODE}


@families
def test_the_same_recipe_gives_the_same_bytes(family: Family):
    for task in tasks(family):
        assert regenerate(task) == task


@families
def test_the_reference_and_the_second_algorithm_are_judged_right(family: Family, judge: Judge):
    made = items(family)
    asked = tasks(family)
    solved = [family.solve(item) for _, _, item in made]
    assert None not in solved
    words = judge.judge(asked * 2, [task.reference or "" for task in asked] + [answer or "" for answer in solved])
    assert [word.judgement for word in words] == [Judgement.PASS] * len(words)
    assert {word.reward for word in words} == {1.0}


@families
def test_a_wrong_answer_is_judged_wrong(family: Family, judge: Judge):
    asked = tasks(family)
    others = [task.reference or "" for task in tasks(family, seed=1)]
    if family.pocket and family.domain is Domain.MATH:
        others = [corrupted(task.reference or "", stream("wrong", task.task_id)) for task in asked]
    pairs = [(task, other) for task, other in zip(asked, others, strict=True) if other != task.reference]
    words = judge.judge([task for task, _ in pairs], [other for _, other in pairs])
    rewards = [word.reward for word in words]
    assert pairs
    assert sum(reward == 0.0 for reward in rewards) >= 0.8 * len(rewards)
    assert judge.judge(asked[:1], [""])[0].reward == 0.0


@families
def test_neighbouring_seeds_share_no_more_than_chance(family: Family):
    level = max(family.levels)
    first = {make_item(family, level=level, seed=0, index=i).prompt for i in range(60)}
    second = {make_item(family, level=level, seed=1, index=i).prompt for i in range(60)}
    assert len(first & second) <= 6
    assert len(first) > 50


@families
def test_a_level_has_many_answers_and_none_that_dominates(family: Family):
    for level in family.levels:
        answers = [make_item(family, level=level, seed=3, index=i).reference for i in range(48)]
        assert max(answers.count(answer) for answer in answers) <= 16, (level, max(answers, key=answers.count))


@pytest.mark.parametrize("family", [family for family in FAMILIES if family.pocket], ids=lambda family: family.name)
def test_pocket_items_fit_the_pocket_policy(family: Family):
    for level in family.levels:
        for i in range(60):
            item = make_item(family, level=level, seed=5, index=i)
            assert set(item.prompt + item.reference) <= POCKET_ALPHABET
            assert len(item.prompt) <= 24
            assert item.prompt.endswith("?")
            assert 1 <= len(item.reference) <= 12
