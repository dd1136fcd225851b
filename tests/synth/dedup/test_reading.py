"""What is read out of a text."""

import pytest

from synth.dedup.reading import read
from synth.dedup.spelling import normal_form


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("twenty-five apples and two hundred fifty pears", ["25", "250"]),
        ("1,200 and 1200.50 and .5 and 007", ["1200", "1200.5", "0.5", "007"]),
        ("half of 50% and ¾ of 2½", ["2", "50%", "3", "4", "2", "1", "2"]),
        ("three thousand four hundred and a dozen", ["3400", "12"]),
        ("each one of the others; one apple; one hundred", ["100"]),
        ("7 % 3", ["7", "3"]),
        ("five six seven", ["5", "6", "7"]),
    ],
)
def test_numbers(text, numbers):
    assert [number for number, _ in read(text).numbers] == numbers


@pytest.mark.parametrize(
    ("text", "literals"),
    [
        ("solve 2*x + 3 = 7 now", ("2*x+3=7",)),
        ("well-known facts and/or a 5-minute walk", ()),
        ('say "Hi  there" twice', ('"Hi  there"',)),
        ("call `f(x)` at y", ("`f(x)`", "y")),
        ("it's $5 and $7 each", ()),
        (r"find $\frac{1}{2}$ of it", (r"$\frac{1}{2}$",)),
        ("A dog and I run", ()),
    ],
)
def test_literals(text, literals):
    assert read(text).literals == literals


def test_negations_poles_and_names():
    reading = read("Yesterday Tom didn't give Ann more than none of the largest coins.")
    assert reading.n_negations == 2
    assert reading.names == ("tom", "ann")
    assert len(reading.poles) == 2


def test_normal_form_keeps_what_changes_a_task():
    assert normal_form("Compute the square 2² of the side") != normal_form("Compute the square 22 of the side")
    assert normal_form('Print the text "A  b" once for me') != normal_form('print the text "a b" once for me')
    assert normal_form("Count the Uppercase letters of ABC") != normal_form("count the uppercase letters of abc")
