"""Tasks: identity by content, split by prompt, recipes that outlive them."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import pytest

from synth.family import FAMILIES
from synth.tasks import make_item, regenerate, split_of, to_task
from warehouse.errors import UserError
from warehouse.records import Split


def test_identity_is_what_the_policy_sees_and_how_it_is_judged():
    family = FAMILIES.get("rev")
    item = make_item(family, level=4, seed=0, index=0)
    task = to_task(family, item, level=4, seed=0, index=0)
    again = to_task(family, item, level=4, seed=9, index=7)
    other = to_task(family, replace(item, gold="abcd"), level=4, seed=0, index=0)
    assert task.task_id == again.task_id != other.task_id
    assert task.params["answer_format"] == "bare"


def test_the_splits_are_as_large_as_they_should_be_and_never_share_a_prompt():
    prompts = [f"rev {i}?" for i in range(20_000)]
    shares = Counter(map(split_of, prompts))
    assert shares[Split.HELDOUT] == pytest.approx(3000, rel=0.06)
    assert shares[Split.CANARY] == pytest.approx(1000, rel=0.12)
    family = FAMILIES.get("sort")
    seen: dict[str, Split] = {}
    for seed in range(3):
        for i in range(200):
            task = to_task(family, make_item(family, level=3, seed=seed, index=i), level=3, seed=seed, index=i)
            assert seen.setdefault(task.prompt, task.split) == task.split


def test_a_level_that_does_not_exist_is_refused_with_those_that_do():
    with pytest.raises(UserError, match=r"no level 99; levels: 2, 3"):
        make_item(FAMILIES.get("rev"), level=99, seed=0, index=0)


def test_a_task_of_another_version_is_not_regenerated():
    family = FAMILIES.get("inc")
    task = to_task(family, make_item(family, level=3, seed=0, index=0), level=3, seed=0, index=0)
    with pytest.raises(UserError, match="version 0, installed is 1"):
        regenerate(replace(task, params={**task.params, "version": 0}))
