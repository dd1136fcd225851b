"""How a request for new tasks is sized: exact sums, bounds, and more where it pays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from curriculum.requests import CAP, size_orders
from curriculum.summary import ArmSummary
from warehouse.errors import UserError

RATE = st.floats(0, 1)


def arm(name: str, pass_rate: float, p_mixed: float = 0.5, *, score: float = 0.1, dead: bool = False) -> ArmSummary:
    return ArmSummary(name, 20, 40, pass_rate, p_mixed, score, dead)


@st.composite
def pools(draw):
    n = draw(st.integers(1, 12))
    arms = [arm(f"f/{i}/s", draw(RATE), draw(RATE), score=draw(RATE), dead=draw(st.booleans())) for i in range(n)]
    yields = {a.arm: (draw(st.integers(0, 60)), 60) for a in arms if draw(st.booleans())}
    return arms, yields


@given(pools(), st.integers(1, 8), st.integers(0, 500), st.sampled_from(["weakest", "best"]))
def test_attempts_sum_exactly_within_their_bounds(pool, n_arms, extra, aim):
    arms, yields = pool
    n = n_arms + extra
    sized = size_orders(arms, n_arms=n_arms, n=n, aim=aim, yields=yields)
    assert len(sized.orders) <= n_arms
    assert not {order.arm for order in sized.orders} & set(sized.left)
    if sized.orders:
        assert sum(order.n for order in sized.orders) == n
        k = len(sized.orders)
        assert all(1 <= order.n <= max(CAP, 1 / k) * (n - k) + 2 for order in sized.orders)
    chosen = {order.arm for order in sized.orders}
    assert not any(a.dead for a in arms if a.arm in chosen)
    alive = [a for a in arms if not a.dead and not (a.arm in yields and yields[a.arm][0] < 0.02 * 60)]
    assert len(chosen) == min(n_arms, len(alive))
    if aim == "weakest":
        assert sorted(a.pass_rate for a in alive)[: len(chosen)] == sorted(
            a.pass_rate for a in alive if a.arm in chosen
        )


@given(pools(), st.randoms())
def test_the_order_of_arms_changes_nothing(pool, random):
    arms, yields = pool
    shuffled = list(arms)
    random.shuffle(shuffled)
    assert size_orders(arms, n_arms=3, n=90, yields=yields) == size_orders(shuffled, n_arms=3, n=90, yields=yields)


def test_more_is_asked_for_where_the_policy_is_weaker_and_where_fewer_pass_the_evidence():
    weak, fair = arm("a/1/s", 0.2), arm("b/1/s", 0.6)
    counts = {order.arm: order.n for order in size_orders([weak, fair], n_arms=2, n=100).orders}
    assert counts == {"a/1/s": 50, "b/1/s": 50}, "two arms: the cap is a half each"
    three = [weak, fair, arm("c/1/s", 0.7)]
    counts = {order.arm: order.n for order in size_orders(three, n_arms=3, n=100).orders}
    assert counts["a/1/s"] > counts["b/1/s"] > counts["c/1/s"]
    lean = size_orders(three, n_arms=3, n=100, yields={"c/1/s": (10, 100)})
    assert {order.arm: order.n for order in lean.orders}["c/1/s"] > counts["c/1/s"]


def test_what_cannot_be_made_is_named_and_left():
    arms = [arm("dead/1/s", 0.0, dead=True), arm("import/1/s", 0.1), arm("spent/1/s", 0.2), arm("good/1/s", 0.3)]
    made = frozenset({"dead/1/s", "spent/1/s", "good/1/s"})
    sized = size_orders(arms, n_arms=2, n=10, yields={"spent/1/s": (0, 80)}, makeable=made)
    assert [(order.arm, order.n) for order in sized.orders] == [("good/1/s", 10)]
    assert set(sized.left) == {"dead/1/s", "import/1/s", "spent/1/s"}
    assert "no family" in sized.left["import/1/s"]
    assert "exhausted" in sized.left["spent/1/s"]


@pytest.mark.parametrize(("n_arms", "n"), [(0, 5), (5, 4), (1, 0)])
def test_a_request_that_cannot_be_is_refused(n_arms, n):
    with pytest.raises(UserError, match="at least 1 arm"):
        size_orders([arm("a/1/s", 0.5)], n_arms=n_arms, n=n)
