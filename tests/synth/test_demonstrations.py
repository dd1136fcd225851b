"""Demonstrations: deterministic, of the train split, right or deliberately wrong."""

from __future__ import annotations

from collections import Counter

import pytest

from synth.demonstrations import demonstrations, level_weights
from synth.tasks import split_of
from warehouse.errors import UserError
from warehouse.records import Split

LAB = ["rev", "sort", "inc"]


def test_demonstrations_are_a_function_of_their_arguments():
    weights = level_weights(LAB)
    first = list(demonstrations(weights, seed=3, n=300))
    assert first == list(demonstrations(weights, seed=3, n=300))
    assert first != list(demonstrations(weights, seed=4, n=300))


def test_demonstrations_come_from_the_train_split_with_easy_levels_common():
    made = list(demonstrations(level_weights(LAB), seed=0, n=3000))
    assert {split_of(pair.prompt) for pair in made} == {Split.TRAIN}
    levels = Counter(pair.level for pair in made)
    assert levels[2] > levels[3] > levels[4] > levels[5] > levels[7]
    assert {pair.family for pair in made} == set(LAB)
    assert all(pair.right for pair in made)


def test_the_wrong_share_is_wrong():
    made = list(demonstrations(level_weights([*LAB, "lin", "bit"]), seed=0, n=2000, wrong_rate=0.5))
    clean = {pair.prompt: pair.completion for pair in made if pair.right}
    wrong = [pair for pair in made if not pair.right]
    assert 900 <= len(wrong) <= 1100
    assert all(clean.get(pair.prompt) != pair.completion for pair in wrong)


def test_bad_arguments_are_refused():
    with pytest.raises(UserError, match="wrong_rate is 2"):
        next(demonstrations({"rev": {2: 1.0}}, seed=0, n=1, wrong_rate=2))
    with pytest.raises(UserError, match="positive level weight"):
        next(demonstrations({"rev": {2: 0.0}}, seed=0, n=1))
    with pytest.raises(UserError, match="unknown family 'revv'; nearest: rev"):
        next(demonstrations({"revv": {2: 1.0}}, seed=0, n=1))
