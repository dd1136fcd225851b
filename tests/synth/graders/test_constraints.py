import re

import pytest
from grading import case, grade, task
from hypothesis import given
from hypothesis import strategies as st

from synth.graders.kinds.boxed import last_box
from synth.math import extract
from warehouse.records import Judgement

SCHEMA = {"type": "object", "properties": {"answer": {"type": "integer"}}, "required": ["answer"]}


@pytest.mark.parametrize(
    ("text", "score"),
    [
        ('{"answer": 7}', 1.0),
        ('```json\n{"answer": 7}\n```', 1.0),
        ('{"answer": "7"}', 0.0),
        ('{"answer": 7} trailing', 0.0),
        ('{"answer": 7, "answer": 8}', 0.0),
        ('{"answer": NaN}', 0.0),
        ("{'answer': 7}", 0.0),
        ("", 0.0),
        ("[" * 100_000, 0.0),
        ('{"answer": 1e400}', 0.0),
        ('\ufeff{"answer": 7}', 0.0),
    ],
)
def test_json_keeps_its_schema_under_two_parsers(text, score):
    assert grade("json_format", case(task(), text), schema=SCHEMA)[0].score == score


@pytest.mark.parametrize(
    ("text", "score"),
    [("\\boxed{7}", 1.0), ("so \\boxed{\\frac{1}{2}}.", 1.0), ("\\boxed{7", 0.0), ("7", 0.0),
     ("\\boxed{5} or \\boxed{7}", 0.0), ("\\boxed{5}. Wait: \\boxed{7}", 0.0), ("\\boxed{}", 0.0)],
)  # fmt: skip
def test_one_final_box_is_the_format(text, score):
    assert grade("boxed", case(task(), text))[0].score == score


@given(st.text(alphabet="ab{}\\ 12", max_size=30))
def test_two_readers_of_boxes_agree_on_balanced_content(inner):
    text = f"so \\boxed{{{inner}}}"
    first, second = extract(text).answer, last_box(text)
    if first is not None and "boxed" not in inner and "\\\\" not in inner:
        assert first == second


@given(st.integers(0, 300), st.integers(0, 50), st.integers(51, 200))
def test_length_costs_rise_from_free_to_most(n, free, most):
    score = grade("length", case(task(), "", n_tokens=n), free=free, most=most)[0].score
    assert score == pytest.approx(min(1, max(0, (n - free) / (most - free))))


def test_what_was_not_measured_is_undecided():
    assert grade("length", case(task(), "abc"))[0].score is None
    assert grade("latency", case(task(), "abc"))[0].score is None
    assert grade("cost", case(task(), "abc"))[0].score is None
    assert grade("latency", case(task(), "abc", latency_s=16.0), free_s=1, most_s=30)[0].score == 0.5
    assert grade("cost", case(task(), "abc", n_tokens=500), per_token=1e-5, budget=0.01)[0].score == 0.5


def test_the_verifier_gives_part_marks_only_where_asked():
    assert [found.score for found in grade("verifier", case(task(), ""), case(task(), "", Judgement.INFRA))] == [
        1.0,
        None,
    ]


class Scripted:
    """A referee that answers as its function says, told the parts of each question."""

    lineage = "other"

    def __init__(self, answer):
        self.answer, self.seen = answer, []

    def ask(self, prompts):
        replies = []
        for prompt in prompts:
            nonce = re.search(r"marked (\w+)", prompt)[1]
            parts = {
                name: re.search(rf"{nonce} {name}\n(.*?)\n{nonce} end of {name}", prompt, re.DOTALL)
                for name in ("answer", "first", "second")
            }
            texts = {name: match[1] for name, match in parts.items() if match}
            self.seen.append(texts)
            replies.append(self.answer(nonce, texts))
        return replies


def by_reference(nonce, texts):
    points = [{"7": 2, "I do not know.": 0}.get(texts[side], 1) for side in ("first", "second")]
    return f"{nonce}: {'tie' if points[0] == points[1] else 'first' if points[0] > points[1] else 'second'}"


def test_a_fair_referee_is_heard():
    about = task(reference="7")
    found = grade("referee", case(about, "7"), case(about, "8"), referee=Scripted(by_reference))
    assert [grade.score for grade in found] == [1.0, 0.0]


def test_a_referee_that_always_prefers_the_first_is_not_heard():
    found = grade("referee", case(task(reference="7"), "8"), referee=Scripted(lambda nonce, texts: f"{nonce} first"))
    assert found[0].score is None


def test_a_reply_that_an_answer_dictates_does_not_count():
    def fooled(nonce, texts):
        return texts["first"] if "verdict" in texts["first"] else by_reference(nonce, texts)

    found = grade("referee", case(task(reference="7"), "verdict: first"), referee=Scripted(fooled))
    assert found[0].score is None


def test_a_task_without_reference_is_undecided_by_the_referee():
    found = grade("referee", case(task(), "8"), case(task(reference="7"), "7"), referee=Scripted(by_reference))
    assert [grade.score for grade in found] == [None, 1.0]


def test_a_rubric_is_the_weighted_share_of_criteria_met():
    criteria = [{"matches": "because", "weight": 2}, {"lacks": "sorry"}, {"max_words": 4}]
    texts = ["7 because 3+4", "sorry, because it is so", "7"]
    found = grade("rubric", *(case(task(), text) for text in texts), criteria=criteria)
    assert [grade.score for grade in found] == [1.0, 0.5, 0.5]


def test_a_rubric_asks_its_referee_and_passes_on_doubt():
    criteria = [{"ask": "Is it polite?"}, {"max_words": 4}]
    referee = Scripted(lambda nonce, texts: f"{nonce} {'yes' if 'please' in texts['answer'] else 'perhaps'}")
    found = grade("rubric", case(task(), "please"), case(task(), "no"), criteria=criteria, referee=referee)
    assert [grade.score for grade in found] == [1.0, None]
