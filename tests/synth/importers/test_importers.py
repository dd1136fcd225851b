"""Importers: real corpora become tasks with evidence; damaged files give one clear line and keep what came before."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from synth.batch import Batch
from synth.graders import Judge
from synth.importers import IMPORTERS, Corpus, get
from synth.importers.contract import broken_contract
from synth.importers.functions import called
from synth.math.gold import KINDS
from synth.novelty import Novelty
from synth.pipeline import Admission, admit
from synth.sandbox import Test
from warehouse.errors import UserError
from warehouse.records import Domain, Outcome


@pytest.fixture(scope="module")
def judge() -> Iterator[Judge]:
    with Judge(workers=2) as judge:
        yield judge


def said(corpus: Corpus) -> str:
    """What ended the reading of a corpus."""
    assert corpus.error is not None
    return str(corpus.error)


def admitted(corpus: Corpus, judge: Judge) -> list[Batch]:
    admission = Admission("c", judge, Novelty(near=True))
    return list(admit(corpus.rows, corpus.generator, admission, sources=[corpus.source]))


def lines(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def test_the_importers_are_there():
    assert IMPORTERS.names() == ["gsm8k", "humaneval", "jsonl", "mbpp"]
    with pytest.raises(UserError, match="unknown importer 'gsm'; nearest: gsm8k"):
        get("gsm")


def test_gsm8k_golds_are_parsed_and_its_computations_checked(corpora: Path, judge: Judge):
    corpus = get("gsm8k").read(corpora / "gsm8k_train.jsonl", limit=400)
    batches = admitted(corpus, judge)
    assert batches[0].sources == (corpus.source,)
    assert batches[1].sources == ()
    assert corpus.source.licence == "MIT"
    assert corpus.source.n_rows == 400 == sum(batch.n_in for batch in batches)
    tasks = [task for batch in batches for task in batch.accepted]
    assert len(tasks) >= 390
    assert {task.level for task in tasks} == {0, 1, 2, 3, 4}
    assert all(task.domain is Domain.MATH and task.source == "gsm8k" for task in tasks)
    checks = {verdict.check for batch in batches for verdict in batch.verdicts}
    assert checks == {"gold", "worked", "prompt_leak", "null_probe", "reference"}


@pytest.mark.parametrize(("name", "file"), [("mbpp", "mbpp_sanitized.jsonl"), ("humaneval", "HumanEval.jsonl.gz")])
def test_references_run_against_their_own_tests(name: str, file: str, corpora: Path, judge: Judge):
    corpus = get(name).read(corpora / file, limit=24)
    [batch] = admitted(corpus, judge)
    assert batch.n_in == 24
    assert batch.n_out >= 18
    assert "reference: WRONG" not in batch.rejected
    assert {"reference", "mutants"} <= {verdict.check for verdict in batch.verdicts}
    assert all(task.reference and task.hidden_tests for task in batch.accepted)


def test_every_row_of_the_code_corpora_makes_a_task_or_says_why(corpora: Path):
    for name, file in (("mbpp", "mbpp_sanitized.jsonl"), ("humaneval", "HumanEval.jsonl.gz")):
        rows = list(get(name).read(corpora / file).rows)
        reasons = [row.reason for row in rows if row.reason is not None]
        assert len(reasons) <= 3
        assert all(reason.startswith("intake: the reference does not parse") for reason in reasons)


def test_a_file_that_is_not_there():
    with pytest.raises(UserError, match=r"no file at nowhere\.jsonl"):
        get("gsm8k").read("nowhere.jsonl")
    with pytest.raises(UserError, match="needs a file"):
        get("jsonl").read()


def test_a_row_without_the_fields_names_its_line_and_keeps_what_came_before(tmp_path: Path, judge: Judge):
    good = {"question": "What is 20 + 30?", "answer": "20+30 = <<20+30=50>>50\n#### 50"}
    corpus = get("gsm8k").read(lines(tmp_path / "x.jsonl", good, {"question": "And 2 + 2?"}, good))
    (row,) = corpus.rows
    assert row.subject is not None
    assert re.search("gsm8k: the row at line 2 lacks answer; it has: question; .*needs question, answer", said(corpus))


@pytest.mark.parametrize("torn", ['{"question": "cut', "[1, 2]"])
def test_a_torn_line_ends_the_reading(torn: str, tmp_path: Path):
    path = lines(tmp_path / "x.jsonl", {"question": "a", "answer": "#### 5"})
    path.write_text(path.read_text() + torn)
    corpus = get("gsm8k").read(path)
    (row,) = corpus.rows
    assert row.subject is not None
    assert "x.jsonl:2 is" in said(corpus)


def test_a_truncated_gzip_keeps_the_rows_before_the_cut(tmp_path: Path):
    content = "".join(
        json.dumps({"question": f"q{i} {i * 7919 % 1000}", "answer": f"#### {i}"}) + "\n" for i in range(5000)
    )
    path = tmp_path / "x.jsonl.gz"
    path.write_bytes(gzip.compress(content.encode())[:-4000])
    corpus = get("gsm8k").read(path)
    assert 100 < len(list(corpus.rows)) < 5000
    assert "the gzip ends early" in said(corpus)


def test_a_download_that_repeats_its_rows_is_seen_and_deduplicated(tmp_path: Path, judge: Judge):
    rows = [{"prompt": f"What is {a} times 17?", "answer": str(a * 17)} for a in (12, 31, 45)]
    corpus = get("jsonl").read(lines(tmp_path / "x.jsonl", *rows * 100))
    assert corpus.n_repeated == 297
    batches = admitted(corpus, judge)
    assert sum(batch.n_in for batch in batches) == 300
    assert sum(batch.n_out for batch in batches) == 3
    assert sum(batch.rejected["duplicate: exact"] for batch in batches) == 297


def test_own_rows_of_both_kinds(tmp_path: Path, judge: Judge):
    rows = [
        {"prompt": "What is 3/4 of 84?", "answer": "63"},
        {
            "prompt": "Write area(w, h).",
            "entry": "area",
            "tests": "assert area(2, 3) == 6\nassert area(4, 5) == 20\nassert area(7, 1) == 7",
            "reference": "def area(w, h):\n    return w * h\n",
        },
        {"prompt": "A gold that cannot be read", "answer": "", "kind": "integer"},
        {"prompt": "A kind that nobody knows", "answer": "7", "kind": "whole"},
        {"prompt": "Nothing to judge by"},
        {
            "prompt": "Write total(t).",
            "entry": "total",
            "tests": "assert total((1, 2)) == 3\nassert total((4)) == 4\nassert total((4, 5)) == 9",
            "reference": "def total(t):\n    return sum(t)\n",
        },
    ]
    [batch] = admitted(get("jsonl").read(lines(tmp_path / "x.jsonl", *rows), source="mine"), judge)
    assert [attempt.reason for attempt in batch.attempts] == [
        None,
        None,
        "gold: invalid",
        f"intake: kind must be one of {', '.join(sorted(KINDS))}",
        "intake: neither answer nor tests and entry",
        "intake: contract: argument 1 of test 2 is int, of the others tuple",
    ]
    assert {task.source for task in batch.tasks} == {"mine"}


def test_own_tests_may_be_a_list_and_what_else_they_are_is_told(tmp_path: Path, judge: Judge):
    code = {"prompt": "Write area(w, h).", "entry": "area", "reference": "def area(w, h):\n    return w * h\n"}
    calls = ["assert area(2, 3) == 6", "assert area(4, 5) == 20", "assert area(7, 1) == 7"]
    wrong = [{"area(1, 1)": 1}, 7, [["area(1, 1)", 1]]]
    rows = [code | {"tests": calls}, *(code | {"prompt": f"No {i}", "tests": tests} for i, tests in enumerate(wrong))]
    [batch] = admitted(get("jsonl").read(lines(tmp_path / "x.jsonl", *rows)), judge)
    must = "must be a text of assert statements or a list of such texts"
    assert [attempt.reason for attempt in batch.attempts] == [
        None,
        f"intake: tests is dict, {must}",
        f"intake: tests is int, {must}",
        f"intake: tests is a list with list in it, {must}",
    ]


def test_keys_that_are_not_read_are_counted_and_the_likely_ones_known(tmp_path: Path):
    rows = [{"prompt": "a", "answer": "1", "solution": "x", "id": 3}, {"prompt": "b", "anwser": "2", "solution": "y"}]
    corpus = get("jsonl").read(lines(tmp_path / "x.jsonl", *rows))
    assert corpus.unknown_keys == {"anwser": 1, "id": 1, "solution": 2}
    likely = get("jsonl").likely
    assert (likely("solution"), likely("anwser"), likely("Entry_Point"), likely("id")) == (
        "reference",
        "answer",
        "entry",
        None,
    )
    strange = get("jsonl").read(lines(tmp_path / "y.jsonl", {"question": "a"}))
    assert re.search(r"lacks prompt; .* needs prompt \[answer, kind, .*tests, entry", said(strange))
    free = get("gsm8k").read(lines(tmp_path / "z.jsonl", {"question": "a", "answer": "#### 1", "more": 1}))
    assert free.unknown_keys == {}


@pytest.mark.parametrize("asked", ["text", "prompt"])
def test_mbpp_is_read_as_it_was_published(asked: str, tmp_path: Path, judge: Judge):
    row = {
        "task_id": 900,
        asked: "Write a function to find how often a value stands in a list.",
        "code": "import math\r\ndef how_often(values, wanted):\r\n    return sum(v == wanted for v in values)",
        "test_list": [
            "assert how_often([1, 2, 1], 1) == 2",
            "assert how_often([4, 4, 4, 4], 4) == 4",
            "assert how_often([3, 5], 9) == 0",
        ],
    }
    wrong = row | {"code": row["code"].replace("==", "!="), asked: "Another description"}
    nothing = row | {"test_list": ["assert other(1) == 2"]}
    opaque = row | {
        asked: "A third",
        "test_imports": ["import math"],
        "test_list": [f"assert math.floor(how_often({v}, 1)) == {n}" for v, n in (([1, 2, 1], 2), ([1], 1), ([], 0))],
    }
    corpus = get("mbpp").read(
        lines(tmp_path / "x.jsonl", row, wrong, nothing, opaque, opaque | {"code": wrong["code"], asked: "A fourth"})
    )
    [batch] = admitted(corpus, judge)
    assert [attempt.reason for attempt in batch.attempts] == [
        None,
        "reference: WRONG",
        "intake: the tests call no function that the reference defines",
        None,
        "reference: WRONG",
    ]
    assert batch.accepted[0].prompt.endswith("in a list.\nWrite the function how_often(values, wanted).")
    assert not any("assert" in task.prompt for task in batch.accepted)
    strange = get("mbpp").read(lines(tmp_path / "y.jsonl", {"task_id": 1, "text": "a", "test_list": []}))
    assert re.search("lacks code; .* needs task_id, prompt, entry_point, .* or task_id, text, code", said(strange))


def test_arithmetic_that_can_be_copied_from_the_prompt_is_refused_by_that_name(tmp_path: Path, judge: Judge):
    rows = [
        {"prompt": "What is 7 * 8?", "answer": "56"},
        {"prompt": "Seven boxes hold eight pens each. How many pens are there?", "answer": "56"},
    ]
    [batch] = admitted(get("jsonl").read(lines(tmp_path / "x.jsonl", *rows)), judge)
    assert [attempt.reason for attempt in batch.attempts] == [
        "null_probe: arithmetic copied from the prompt passes",
        None,
    ]


def test_a_reference_that_fails_its_tests_is_a_row(tmp_path: Path, judge: Judge):
    row = {
        "prompt": "Write inc(x).",
        "entry": "inc",
        "tests": "assert inc(1) == 2\nassert inc(5) == 7",
        "reference": "def inc(x):\n    return x + 1\n",
    }
    [batch] = admitted(get("jsonl").read(lines(tmp_path / "x.jsonl", row)), judge)
    assert batch.rejected == {"reference: WRONG": 1}
    assert batch.verdicts[-1].outcome is Outcome.FAIL


def test_the_function_under_test_is_the_one_that_the_asserts_call():
    checks = "def check(candidate):\n    assert second(1) == 2\n"
    assert called(checks, ["first", "second"], "first") == "second"
    assert called("def check(candidate):\n    assert candidate(1) == 2\n", ["first"], "first") == "first"


def test_a_tuple_that_lost_its_comma_breaks_the_contract():
    tests = [Test(args=(value,), expected=1) for value in (("a",), ("a", "b"), ("c", "d"))]
    assert broken_contract(tests) is None
    assert broken_contract([*tests, Test(args=(5,), expected=1)]) is None
    assert broken_contract([*tests, Test(args=("d",), expected=1)]) is not None


def test_arguments_of_another_type_or_number_than_stated_break_the_contract():
    head = 'def f(text: str, n: int = 3) -> str:\n    """Repeat."""\n'
    assert broken_contract([Test(args=("ab", 2)), Test(args=("ab",))], head=head, entry="f") is None
    assert broken_contract([Test(args=(["ab"], 2))], head=head, entry="f") == (
        "contract: argument 1 of test 1 is list, stated is str"
    )
    assert broken_contract([Test(args=("a", 1, 2))], head=head, entry="f") == (
        "contract: test 1 passes 3 arguments, stated are 2"
    )
