"""Comparison against a brute-force oracle over values of every kind, and its cost on hostile answers."""

from __future__ import annotations

import contextlib
import copy
import math
import time
from decimal import Decimal
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from synth.sandbox import Test
from synth.sandbox.compare import agree, canonical, matches, stdout_matches
from synth.sandbox.inside import frames
from synth.sandbox.inside.frames import Malformed
from synth.sandbox.inside.tree import MAX_DEPTH, TooDeep, pack, unpack

ATOMS = (
    st.none()
    | st.booleans()
    | st.integers(-3, 3)
    | st.integers()
    | st.integers(2**52, 2**200)
    | st.sampled_from([0.0, -0.0, 1.0, 1.5, 2.0**60, math.inf, -math.inf, math.nan])
    | st.floats()
    | st.text(max_size=3)
    | st.sampled_from(["\ud800", "é", "1"])
    | st.binary(max_size=2)
    | st.complex_numbers(allow_nan=False)
    | st.fractions(max_denominator=3)
    | st.decimals(allow_nan=False)
)
KEYS = st.recursive(
    ATOMS, lambda inner: st.lists(inner, max_size=2).map(tuple) | st.frozensets(inner, max_size=2), max_leaves=4
)
VALUES = st.recursive(
    KEYS,
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.lists(inner, max_size=3).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=3)
        | st.sets(KEYS, max_size=3)
    ),
    max_leaves=8,
)


def shape(value: Any) -> Any:
    """The oracle: a hashable that is equal exactly for values equal in type and content."""
    kind = type(value)
    if kind in (list, tuple):
        return kind.__name__, tuple(map(shape, value))
    if kind in (set, frozenset):
        return kind.__name__, frozenset(map(shape, value))
    if kind is dict:
        return "dict", frozenset((shape(k), shape(v)) for k, v in value.items())
    if kind is float and math.isnan(value):
        return "nan"
    if kind is complex:
        return "complex", shape(value.real), shape(value.imag)
    return kind.__name__, value


def wire(value: Any) -> Any:
    """The tree of a value after its journey over the socket."""
    return frames.load(frames.dump(pack(value))[frames.HEADER :])


@given(VALUES)
def test_every_value_survives_the_wire(value: Any) -> None:
    assert shape(unpack(wire(value))) == shape(value)


@given(VALUES, VALUES)
@settings(max_examples=400)
def test_exact_equality_is_equality_of_type_and_content(one: Any, two: Any) -> None:
    assert matches(Test(expected=one), wire(copy.deepcopy(one)))
    assert matches(Test(expected=one), wire(two)) == (shape(one) == shape(two))


def plain(value: Any) -> bool:
    """Whether Python's == is reflexive on it and knows no further numeric tower."""
    return (
        value == value and "Fraction" not in repr(value) and "Decimal" not in repr(value) and "nan" not in repr(value)
    )


@given(VALUES.filter(plain), VALUES.filter(plain))
@settings(max_examples=400)
def test_python_equality_is_that_of_python(one: Any, two: Any) -> None:
    assert matches(Test(expected=one, equality="python"), wire(two)) == (one == two)


@given(VALUES.filter(plain))
def test_truth_is_that_of_python(value: Any) -> None:
    assert matches(Test(expected=True, equality="truth"), wire(value)) == bool(value)


@given(st.lists(ATOMS, max_size=5), st.randoms())
def test_order_is_ignored_only_where_declared(items: list[Any], random: Any) -> None:
    shuffled = list(items)
    random.shuffle(shuffled)
    assert matches(Test(expected=items, unordered=True), wire(shuffled))
    assert matches(Test(expected=tuple(items), unordered=True), wire(tuple(shuffled)))
    assert matches(Test(expected=items), wire(shuffled)) == (shape(items) == shape(shuffled))
    assert not matches(Test(expected=[*items, 1], unordered=True), wire(shuffled))


@given(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6), st.sampled_from([1e-9, 1e-3, 0.5]))
def test_tolerance_is_relative_to_the_expected_value(expected: float, found: float, tol: float) -> None:
    close = abs(expected - found) <= tol * abs(expected)
    for build in (lambda v: v, lambda v: [v], lambda v: {"k": (v, "text")}):
        assert matches(Test(expected=build(expected), rel_tol=tol), wire(build(found))) == close


@pytest.mark.parametrize(
    ("expected", "found", "right"),
    [
        (1.0, math.nan, False),
        (math.nan, math.nan, True),
        (1.0, math.inf, False),
        (math.inf, 1e308, False),
        (math.inf, math.inf, True),
        (1.0, 1, True),
        (1.0, True, False),
        (0.0, 1e-9, True),
        (1.0, 10**400, False),
        (10**400, 1.0, False),
        ([1.0, 2.0], (1.0, 2.0), False),
        ([1.0], [1.0, 1.0], False),
        ("1.0", 1.0, False),
        ({1.0, 10.0}, {9.9999999, 1.0}, True),
        (None, 0.0, False),
    ],
)
def test_tolerance_never_accepts_what_is_no_number_near(expected: Any, found: Any, right: bool) -> None:
    assert matches(Test(expected=expected, abs_tol=1e-6), wire(found)) is right


def test_any_of_takes_each_right_answer() -> None:
    test = Test(expected=[[1, 2], [2, 1]], any_of=True)
    assert [matches(test, wire(v)) for v in ([1, 2], [2, 1], [2, 2], [[1, 2], [2, 1]])] == [True, True, False, False]


def test_agreement_follows_the_leniency_of_the_test() -> None:
    assert agree(Test(unordered=True), wire([1, 2]), wire([2, 1]))
    assert agree(Test(abs_tol=0.1), wire(1.0), wire(1.05))
    assert not agree(Test(), wire([1, 2]), wire([2, 1]))


@pytest.mark.parametrize(
    ("rule", "expected", "output", "right"),
    [
        ("lines", "a\nb", b"a  \r\nb\n\n", True),
        ("lines", "a\nb", b"a\n\nb", False),
        ("lines", "a b", b"a  b", False),
        ("tokens", "a b\n1", b" a\nb 1 ", True),
        ("exact", "a\n", b"a", False),
        ("exact", b"\xff", b"\xff", True),
        ("lines", "", b"\n \n", True),
        ("lines", "a", b"", False),
    ],
)
def test_white_space_rules(rule: Any, expected: Any, output: bytes, right: bool) -> None:
    assert stdout_matches(Test(stdin="", expected=expected, whitespace=rule), output) is right


HOSTILE = [
    {"pickle": "x"},
    {"t": 1},
    {"t": [], "s": []},
    {},
    2**60,
    {"i": "0x1"},
    {"i": "0xFFFFFFFFFFFFFFFFFFFFF"},
    {"i": hex(2**60) + "\n"},
    {"n": "NaN"},
    {"c": [1]},
    {"q": [1, 0]},
    {"q": [1, -1]},
    {"q": [1.5, 2]},
    {"m": "1_0"},
    {"m": "sure"},
    {"b": "0"},
    {"b": "ZZ"},
    {"s": [[1]]},
    {"s": [1, 1]},
    {"s": [{"t": [{"s": []}]}]},
    {"d": [[1, 2], [1, 2]]},
    {"d": [[[1], 2]]},
    {"d": [1]},
    {"d": {"a": 1}},
]


@pytest.mark.parametrize("tree", HOSTILE, ids=str)
def test_trees_that_no_value_has_are_malformed(tree: Any) -> None:
    with pytest.raises(Malformed):
        canonical(tree)
    with pytest.raises(Malformed):
        canonical([1, {"t": [tree]}])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**20), 10**20) | st.floats() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(list("tdszincbaqmx")), inner, max_size=2)
    ),
    max_leaves=12,
)


@given(JSON, VALUES, st.sampled_from(["exact", "python", "truth"]), st.booleans(), st.sampled_from([0.0, 0.1]))
@settings(max_examples=500)
def test_no_tree_makes_the_comparison_raise_anything_but_malformed(
    tree: Any, expected: Any, equality: Any, unordered: bool, tol: float
) -> None:
    test = Test(expected=expected, equality=equality, unordered=unordered, rel_tol=tol)
    with contextlib.suppress(Malformed):
        assert matches(test, tree) in (True, False)


def test_depth_is_bounded() -> None:
    value: Any = 1
    for _ in range(MAX_DEPTH):
        value = [value]
    assert matches(Test(expected=value), wire(value))
    with pytest.raises(TooDeep):
        pack([value])
    tree: Any = 1
    for _ in range(5000):
        tree = {"t": [tree]}
    with pytest.raises(Malformed):
        canonical(tree)


@pytest.mark.parametrize("depth", [900, 100_000])
@pytest.mark.parametrize("limit", [1000, 100_000])
def test_deep_json_is_malformed_whatever_the_recursion_limit(
    depth: int, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    import sys

    before = sys.getrecursionlimit()
    sys.setrecursionlimit(limit)
    try:
        body = b'{"]":' + b"[" * depth + b"]" * depth + b"}"
        with pytest.raises(Malformed):
            canonical(frames.load(body)["]"])
    finally:
        sys.setrecursionlimit(before)


def test_answers_made_to_collide_cost_no_more_than_others() -> None:
    """A megabyte of integers with one hash, as set and as keys, within a CPU second or two."""
    colliding = {"s": [{"i": hex((2**61 - 1) * n)} for n in range(1, 40_000)]}
    keyed = {"d": [[{"i": hex((2**61 - 1) * n)}, 0] for n in range(1, 30_000)]}
    nested: Any = "x" * 500_000
    for _ in range(MAX_DEPTH - 2):
        nested = {"z": [nested, 1]}
    began = time.process_time()
    for tree in (colliding, keyed, nested):
        assert not matches(Test(expected=1), tree)
        assert not matches(Test(expected={1}, rel_tol=0.1), tree)
    assert time.process_time() - began < 20


def test_numbers_of_the_same_value_but_another_type_differ() -> None:
    values = [1, 1.0, True, 1 + 0j, Fraction(1), Decimal(1), "1", b"1", [1], (1,), {1}, frozenset({1})]
    for i, one in enumerate(values):
        for j, two in enumerate(values):
            assert matches(Test(expected=one), wire(two)) == (i == j)


def test_tolerance_is_exact_over_whole_numbers_of_any_size() -> None:
    for large in (10**17, 2**60, 10**400):
        assert not matches(Test(expected=large, abs_tol=0.5), wire(large + 1))
        assert matches(Test(expected=large, abs_tol=1.0), wire(large + 1))
        assert matches(Test(expected=[large, 0.5], abs_tol=1.0), wire([large - 1, 0.75]))
        assert not matches(Test(expected=[large, 0.5], abs_tol=0.5), wire([large - 1, 0.75]))
    assert not matches(Test(expected=10**400, rel_tol=0.1), wire(1e300))
