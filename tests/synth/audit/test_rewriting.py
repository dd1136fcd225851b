"""Rewritten programs compute what the original does."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from synth.audit.programs import right_programs
from synth.audit.rewriting import expressions, rewritings
from synth.bench import SandboxBench
from synth.graders import Judge
from synth.importers import get
from warehouse.records import Judgement

LISTS = """
def f(words, n=2):
    total = 0
    def longer(word):
        return len(word) > n
    for word in words:
        if longer(word):
            total = 1 + total * 2
    kept = [w for w in words if longer(w)]
    try:
        first = kept[0]
    except IndexError as error:
        first = str(error)
    return (total,
            first + f"{total=}")
"""


@pytest.mark.parametrize("form", ["renamed", "commuted", "parenthesised"])
@given(words=st.lists(st.text("abc", max_size=5), max_size=5), n=st.integers(0, 4))
def test_every_form_gives_the_same_answers(form, words, n):
    found = []
    for text in (LISTS, rewritings(LISTS)[form]):
        space: dict = {}
        exec(text, space)
        found.append([space["f"](words), space["f"](words, n=n)])
    assert found[0][0] == found[1][0]
    assert found[0][1] == found[1][1]


def test_names_that_something_else_refers_to_are_kept():
    text = rewritings(LISTS)["renamed"]
    names = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
    assert {"total_again", "kept_again", "first_again", "w_again", "words", "longer", "error"} <= names
    assert "words_again" not in names


def test_reflective_functions_are_not_renamed():
    assert "renamed" not in rewritings("def f(x):\n    y = x\n    return locals()['y']")


def test_texts_are_not_commuted():
    assert expressions("'a' + x") == {"parenthesised": "('a' + x)"}


def test_rewritten_corpus_references_pass_their_tests(corpora):
    forms = set()
    with Judge(workers=2) as judge:
        for name, file in (("humaneval", "HumanEval.jsonl.gz"), ("mbpp", "mbpp_sanitized.jsonl")):
            read = get(name).read(corpora / file, limit=60)
            rights = [r for row in read.rows if row.subject for r in right_programs(row.subject.task)]
            words = SandboxBench(judge).judge([r.task for r in rights], [r.completion for r in rights])
            assert [r for r, word in zip(rights, words, strict=True) if word is not Judgement.PASS] == []
            forms |= {right.form for right in rights}
    assert forms == {"itself", "in a fence", "renamed", "commuted", "parenthesised"}
