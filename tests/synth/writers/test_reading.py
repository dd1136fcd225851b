"""JSON as models write it: nothing guessed, nothing raised, backslashes kept."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.writers.reading import read_object

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc", max_size=3), inner, max_size=3),
    max_leaves=8,
)
LATEX = r"\frac{1}{2} \times \beta \neq \right) \text{a} \nabla \theta \sqrt{2} \boxed{3} \uparrow \alpha \pi"


@settings(deadline=None)
@given(st.dictionaries(st.text("abc", max_size=3), values, max_size=4), st.sampled_from(["", "```json\n", "Sure: "]))
def test_valid_json_is_read_as_it_is(fields: dict, before: str):
    found = read_object(before + json.dumps(fields) + ("\n```" if "`" in before else ""))
    if "\\" not in json.dumps(fields):
        assert found.fields == fields
        assert "backslash" not in found.repairs


@settings(deadline=None)
@given(st.text(max_size=60) | st.text(alphabet='{}[]",:\\ntu01', max_size=40))
def test_no_text_raises(text: str):
    found = read_object(text)
    assert (found.fields is None) != (found.reason is None)


@settings(deadline=None)
@given(st.integers(1, 200))
def test_what_is_cut_off_is_never_guessed(place: int):
    whole = json.dumps({"question": "How many {are} there?", "answer": "125", "tests": [[1], [2, 3]]})
    found = read_object(whole[: min(place, len(whole) - 1)])
    assert found.fields is None
    assert found.reason in ("json: cut off", "json: no object")


def test_backslashes_survive_written_once_or_twice():
    for written in (LATEX, LATEX.replace("\\", "\\\\")):
        found = read_object('```json\n{"answer": "' + written + '"}\n```')
        assert found.fields == {"answer": LATEX}
    assert read_object('{"a": "' + LATEX.replace("\\", "\\\\") + '"}').repairs == ()


def test_escapes_of_json_stay_escapes():
    program = 'def f(x):\n    n = 1\n\treturn x * n\r\n# \u00e9 "q" \\ /'
    assert read_object(json.dumps({"program": program})).fields == {"program": program}


@pytest.mark.parametrize(
    ("text", "fields", "repairs"),
    [
        ('{"a": 1,}', {"a": 1}, ("comma",)),
        ('Here: {"a": "x\ny"} Done.', {"a": "x\ny"}, ("prose", "control")),
        ('```\n{"a": [1, 2,],}\n```', {"a": [1, 2]}, ("fence", "comma")),
    ],
)
def test_each_repair_is_named(text: str, fields: dict, repairs: tuple[str, ...]):
    found = read_object(text)
    assert (found.fields, found.repairs) == (fields, repairs)


def test_what_is_no_object_says_why():
    for text, reason in {
        "I cannot.": "json: no object", "": "json: no object", '{"a": nope}': "json: not valid",
        '{"a": NaN}': "json: not valid", '{"a": 1e999}': "json: not valid", '{"a": [-1e-999]}': "json: not valid",
        '{"a": "\\ud800"}': "json: not text",
        "{" * 5000 + "}" * 5000: "json: not valid",
    }.items():  # fmt: skip
        assert read_object(text).reason == reason


def test_small_and_large_numbers_are_read_as_they_stand():
    assert read_object('{"a": [1e300, 1e-300, 0e5, -0.0, 0.000e999]}').fields == {"a": [1e300, 1e-300, 0, -0.0, 0.0]}
