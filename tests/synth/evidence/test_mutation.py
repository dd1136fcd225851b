"""Mutants: parse, differ from the program, leave documentation alone."""

from __future__ import annotations

import ast

from hypothesis import given
from hypothesis import strategies as st

from synth.evidence.mutation import mutants

PROGRAM = '''
def f(x: int, y=2) -> int:
    """Adds 1."""
    if x > 3 and y in (1, 2):
        return max(x, y) - x // 2
    return sum([x, -y][1:])
'''


def test_every_mutant_is_another_program():
    made = mutants(PROGRAM)
    assert len(made) == len(set(made)) > 12
    assert ast.unparse(ast.parse(PROGRAM)) not in made
    for text in made:
        ast.parse(text)
        assert "Adds 1." in text
        assert "x: int" in text


def test_edits_stay_within_the_function_asked_for():
    made = mutants("def g(x):\n    return x + 1\n\ndef f(x):\n    return x - 1\n", within="f")
    assert made
    assert all("x + 1" in text for text in made)


@given(
    st.recursive(
        st.sampled_from(["x", "1", "7"]),
        lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(lambda t: f"({t[0]}{t[1]}{t[2]})"),
        max_leaves=8,
    )
)
def test_mutants_of_expressions_parse(expression: str):
    for text in mutants(f"def f(x):\n    return {expression}\n"):
        ast.parse(text)
