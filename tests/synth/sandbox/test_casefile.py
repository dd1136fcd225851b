"""Tests as text: round trips, canonical, strict."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.sandbox import Test, dump_tests, load_tests
from warehouse.errors import UserError

from .test_compare import VALUES, shape


@given(st.lists(VALUES, max_size=3), VALUES, st.sampled_from(["exact", "python"]), st.booleans())
def test_tests_come_back_as_they_were(args: list[Any], expected: Any, equality: Any, unordered: bool) -> None:
    test = Test(args=tuple(args), kwargs={"k": expected}, expected=expected, equality=equality, unordered=unordered)
    text = dump_tests([test, Test()])
    back = load_tests(text)
    assert shape(back[0].args) == shape(test.args)
    assert shape(dict(back[0].kwargs)) == shape(dict(test.kwargs))
    assert shape(back[0].expected) == shape(expected)
    assert (back[0].equality, back[0].unordered) == (equality, unordered)
    assert back[1] == Test()
    assert dump_tests(back) == text


def test_every_field_is_kept() -> None:
    tests = [
        Test(entry="S", args=(1,), methods=(("push", (1, 2)), ("pop", ())), expected=[None, 2]),
        Test(args=("a",), through=("encode", "decode"), expected="a", any_of=False, rel_tol=0.1, abs_tol=1.0),
        Test(stdin=b"\xff", expected=b"\x00", whitespace="tokens"),
        Test(check="def check(candidate):\n    assert candidate(1) == 2\n", entry="f"),
        Test(expected=[1, 2], any_of=True),
    ]
    assert load_tests(dump_tests(tests)) == tuple(tests)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[1]",
        "[{}",
        '[{"args":[],"wanted":1}]',
        '[{"args":[{"pickle":1}]}]',
        '[{"args":[NaN]}]',
        "[" * 5000,
        '[{"args":[],"args":[]}]',
        '[{"expected":{"s":[[1]]}}]',
        '[{"args":5}]',
        "é",
        '[{"args":[12345678901234567890]}]',
    ],
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(UserError, match=r"tagged JSON|allowed"):
        load_tests(text)


def test_values_that_are_not_plain_are_named() -> None:
    with pytest.raises(UserError, match="expected of test 2 holds a object"):
        dump_tests([Test(), Test(expected=object())])
