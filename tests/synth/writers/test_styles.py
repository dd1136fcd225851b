"""Every style asks a question of its own and reads good replies, and no reply breaks one."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scripted_engine import Scripted

from synth.family import FAMILIES
from synth.math import prepare_gold
from synth.tasks import make_item, to_task
from synth.writers import STYLES, Commission, Draft, Rejection, Writer
from synth.writers.style import Failure, Style
from warehouse.errors import UserError
from warehouse.records import Domain

FAMILY = FAMILIES.get("urn")
PARENT = to_task(FAMILY, make_item(FAMILY, level=2, seed=0, index=0), level=2, seed=0, index=0)
FULL = Commission(
    level=2, family="rev", parent=PARENT, document="Ada has 17 sheep.", failures=(Failure("2+2?", "5", "4"),)
)
GOOD = {
    "question": "Ada has 17 sheep and buys 4. How many has she?", "solution": "17 + 4 = 21", "answer": "21",
    "answer_kind": "integer", "entry": "f", "program": "def solve():\n    return 17 + 4\n",
    "tests": [{"args": [[1, 2]], "expected": 3}, {"args": [[]], "expected": 0}],
}  # fmt: skip
FORMAL = [style for style in STYLES if style.name not in ("pocket", "plain", "rubric")]


@pytest.mark.parametrize("style", FORMAL, ids=lambda style: style.name)
def test_a_good_reply_becomes_a_task(style: Style):
    ask = style.ask(FULL)
    assert ask.schema is not None
    assert set(ask.schema["required"]) <= set(GOOD)
    made = style.read(json.dumps({key: GOOD[key] for key in GOOD}), FULL)
    assert isinstance(made, Draft)
    if style.domain is Domain.CODE:
        assert len(made.tests) == 2
        assert made.tests[1].args == ([],)
    else:
        assert prepare_gold(made.answer or "", made.answer_kind).invalid is None
        assert (made.reference or "").endswith("\\boxed{21}")


def test_styles_ask_different_things_of_the_same_commission():
    prompts = {style.name: style.ask(FULL).prompt for style in STYLES}
    assert len(set(prompts.values())) == len(prompts)
    assert "17 sheep" in prompts["document"]
    assert "5" in prompts["weak_spot"]


@settings(max_examples=150, deadline=None)
@given(
    text=st.text(max_size=40)
    | st.dictionaries(
        st.sampled_from(list(GOOD)),
        st.none()
        | st.booleans()
        | st.text(max_size=5)
        | st.lists(st.integers() | st.dictionaries(st.text(), st.none())),
    ).map(json.dumps)
)
def test_no_reply_breaks_a_style(text: str):
    for style in STYLES:
        assert isinstance(style.read(text, FULL), Draft | Rejection)


@pytest.mark.parametrize("style", list(STYLES), ids=lambda style: style.name)
def test_what_a_style_needs_is_asked_for_at_once(style: Style):
    writer = Writer(Scripted(lambda ask, k: ""), style)
    if style.needs:
        with pytest.raises(UserError, match=f"style '{style.name}' needs"):
            list(writer.propose([Commission()]))


def test_repairs_are_counted_and_a_child_stays_in_its_parents_split():
    writer = Writer(Scripted(lambda ask, k: f"```json\n{json.dumps(GOOD)}\n```"), STYLES.get("harder"))
    [row] = writer.propose([FULL])
    assert row.subject is not None
    task = row.subject.task
    assert (task.parents, task.split, task.source) == ((PARENT.task_id,), PARENT.split, "scripted")
    assert (writer.n_read, dict(writer.repairs)) == (1, {"fence": 1})


@pytest.mark.parametrize(
    ("text", "answer", "kind"),
    [
        ("Question: Bo has 12 figs and eats 5. How many are left?\nAnswer: 7", "7", "integer"),
        ("Sure!\nQ: Bo has 12 figs and eats 5. How many are left?\nA: Bo has 7 figs left.", "7", "integer"),
        ("Which is larger, one half or one third?\nAnswer: 1/2", "1/2", "rational"),
    ],
)
def test_two_lines_are_enough_for_a_small_model(text: str, answer: str, kind: str):
    made = STYLES.get("plain").read(text, FULL)
    assert isinstance(made, Draft)
    assert (made.answer, made.answer_kind) == (answer, kind)
    assert isinstance(STYLES.get("plain").read("I have no idea.", FULL), Rejection)
