"""Right answers have the gold's value and wrong ones do not, by arithmetic that shares nothing with the checker."""

from __future__ import annotations

import re
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.audit.answers import answers
from warehouse.records import Domain, Task


def task(gold: str, kind: str, **params) -> Task:
    return Task(
        task_id=f"{gold}/{kind}", domain=Domain.MATH, family="planted", level=1, params=params, prompt="?",
        answer_kind=kind, gold=gold,
    )  # fmt: skip


def value(text: str) -> Fraction:
    text = text.strip().replace(",", "")
    latex = re.fullmatch(r"(-?)\\frac\{(\d+)\}\{(\d+)\}", text)
    if latex:
        return Fraction(int(f"{latex[1]}{latex[2]}"), int(latex[3]))
    repeated = re.fullmatch(r"(-?)(\d+)\.(\d*)\\overline\{(\d+)\}", text)
    if repeated is None:
        return Fraction(text)
    sign, whole, start, period = repeated.groups()
    places = 10 ** len(start)
    tail = Fraction(int(period), (10 ** len(period) - 1) * places)
    return (-1 if sign else 1) * (Fraction(int(whole + start), places) + tail)


@given(st.integers(-(10**7), 10**7), st.sampled_from([1, 1, 2, 3, 7, 8, 125]))
def test_numbers_are_what_they_are_said_to_be(p, q):
    gold = Fraction(p, q)
    found = answers(task(str(gold), "integer" if gold.denominator == 1 else "rational", answer_format="bare"))
    assert {answer.right for answer in found} == {True, False}
    for answer in found:
        assert (value(answer.completion) == gold) is answer.right, answer


def test_what_a_tolerance_allows_is_no_wrong_answer():
    wrong = {a.form for a in answers(task("10", "decimal", answer_format="bare", tolerance="1")) if not a.right}
    assert wrong == {"other sign", "ten times"}


@pytest.mark.parametrize("format", ["bare", "boxed", "gsm8k", "last_number"])
def test_completions_are_in_the_tasks_format(format):
    found = [answer.completion for answer in answers(task("1234", "integer", answer_format=format))]
    mark = {"bare": "1234", "boxed": "\\boxed{1234}", "gsm8k": "#### 1234", "last_number": "is 1234"}[format]
    assert any(mark in completion for completion in found)
    assert len(found) >= 5


@given(st.text("abcd", min_size=1, max_size=6))
def test_wrong_words_differ_from_right_ones(gold):
    for answer in answers(task(gold, "text", answer_format="bare")):
        assert (answer.completion.strip() == gold) is answer.right


def test_a_gold_without_sure_forms_gives_only_itself():
    assert {answer.form for answer in answers(task("y=x^2", "equation"))} == {"itself"}
    assert answers(task("", "integer")) == []
