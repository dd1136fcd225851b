"""Texts that copy or reword a benchmark item are found; others are not."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.decontaminate import Benchmark, Reason, find

ITEM = (
    "Weng ran a bakery that sold 48 loaves of rye bread on Monday, 75 loaves on Tuesday and three times as many on "
    "Friday as on Monday. How many loaves of rye bread were sold on these three days together?"
)
OTHER = "A cyclist climbs 310 metres in 25 minutes and rests for 4 minutes. What is her average climbing rate?"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (ITEM, Reason.EXACT),
        ("  " + ITEM.upper(), Reason.EXACT),
        ("Here is a warm-up for you. " + ITEM + " Explain every step of your answer in detail.", Reason.NGRAM),
        (
            "At Weng's bakery 48 rye loaves were bought on Monday, 75 on Tuesday, and triple Monday's on Friday. "
            "What is the total of rye loaves over the three days?",
            Reason.REWORDED,
        ),
    ],
)
def test_copies_and_rewordings_are_found(text, reason):
    matches = find([OTHER, text], [OTHER.replace("310", "470").replace("cyclist", "hiker") + " Round up.", ITEM])
    assert [(m.index, m.benchmark_index, m.reason) for m in matches if m.index == 1] == [(1, 1, reason)]
    assert all(0 < m.similarity <= 1 for m in matches)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "How many?",
        "Peter bakes 48 cakes a day and sells 31 of them. How many are left after 75 days?",
        "What is the total of 3 and 4 on these three days together?",
    ],
)
def test_other_texts_are_left_alone(text):
    assert find([text], [ITEM]) == []


def test_short_items_are_found_only_by_exact_form():
    assert find(["2 + 2 = ?", "What is 2 + 2 = ? exactly, please, my friend"], ["2 + 2 = ?"]) == [
        (0, 0, 1.0, Reason.EXACT)
    ]


def test_nothing_is_found_in_nothing():
    assert find([], [ITEM]) == []
    assert find([ITEM], []) == []
    assert find([ITEM, ""], ["", " "]) == []


@given(st.lists(st.sampled_from([ITEM, OTHER, "x", "", ITEM.replace("48", "84"), OTHER.lower()]), max_size=8))
@settings(max_examples=25, deadline=None)
def test_a_text_is_judged_alone(texts):
    benchmark = Benchmark([ITEM, OTHER])
    together = benchmark.find(texts)
    alone = [m._replace(index=n) for n, text in enumerate(texts) for m in benchmark.find([text])]
    assert together == alone


def test_reworded_gsm8k_is_caught_without_an_embedder(corpora):
    def rows(name):
        return [json.loads(line) for line in (corpora / name).read_text(encoding="utf-8").splitlines()]

    benchmark = Benchmark([row["question"] for row in rows("gsm8k_test.jsonl")])
    reworded = [
        row["text"].removeprefix("Question: ").rpartition("\nAnswer:")[0] for row in rows("gsm8k_test_rephrased.jsonl")
    ]
    found = benchmark.find(reworded)
    assert sum(m.index == m.benchmark_index for m in found) >= 0.98 * len(reworded)
    train = [row["question"] for row in rows("gsm8k_train.jsonl")]
    assert len(benchmark.find(train)) <= 0.005 * len(train)
