"""The pocket style: it reads every question that a family makes, at its level, and no other text."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.family import FAMILIES
from synth.tasks import make_item
from synth.writers import STYLES, Commission, Draft, Rejection
from synth.writers.styles.pocket import FORMS, MAX_TOKENS

POCKET = STYLES.get("pocket")


@pytest.mark.parametrize("name", sorted(FORMS))
def test_what_a_family_makes_is_read_as_itself(name):
    family = FAMILIES.get(name)
    assert list(FORMS[name].levels) == list(family.levels)
    for level in family.levels:
        for index in range(20):
            item = make_item(family, level=level, seed=5, index=index)
            text = item.prompt.removeprefix(f"{name} ") + item.reference
            draft = POCKET.read(text, Commission(family=name))
            assert isinstance(draft, Draft)
            read = (draft.prompt, draft.answer, draft.answer_kind, draft.level)
            assert read == (item.prompt, item.gold, item.answer_kind, level)
            assert len(text) < MAX_TOKENS


@pytest.mark.parametrize(
    ("family", "text", "reason"),
    [
        ("rev", "abcd", "no question"),
        ("rev", "", "no question"),
        ("rev", "?a", "not a question"),
        ("rev", "a?a", "not a question"),
        ("rev", "abz?zba", "not a question"),
        ("rev", "abcdefghab?x", "not a question"),
        ("rev", "ab?", "no answer"),
        ("rev", "ab? ", "no answer"),
        ("rev", "ab?ba?ba", "no answer"),
        ("uniq", "abc?abc", "not a question"),
        ("max", "1 100?100", "not a question"),
        ("max", "1  2?2", "not a question"),
        ("max", "01 2?2", "not a question"),
        ("tally", "abcde?1111", "not a question"),
        ("chain", "ab?ba", "no such form"),
    ],
)
def test_what_is_malformed_is_refused_with_its_reason(family, text, reason):
    found = POCKET.read(text, Commission(family=family))
    assert isinstance(found, Rejection)
    assert reason in found.reason


@given(st.text(max_size=40), st.sampled_from(sorted(FORMS)))
def test_no_text_breaks_the_reader(text, family):
    found = POCKET.read(text, Commission(family=family))
    if isinstance(found, Draft):
        assert found.prompt + str(found.answer) == f"{family} {text}"


def test_a_wrong_answer_is_read_like_a_right_one():
    right, wrong = (POCKET.read(f"abc?{answer}", Commission(family="rev")) for answer in ("cba", "abc"))
    assert isinstance(right, Draft)
    assert isinstance(wrong, Draft)
    assert right.level == wrong.level == 3


def test_only_levels_that_were_asked_for_are_taken():
    asked = Commission(family="rev", params={"levels": [4, 5]})
    assert isinstance(POCKET.read("abcd?dcba", asked), Draft)
    assert POCKET.read("abc?cba", asked) == Rejection("writer: not a level asked for")
