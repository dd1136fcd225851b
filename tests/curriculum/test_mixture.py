from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from curriculum import plan_file
from curriculum.mixture import MixtureConfig, bounds, divergence, plan, project, unplanned
from curriculum.summary import ArmSummary, summarize
from warehouse.errors import UserError


def arm(name: str, rate: float, *, score: float = 0.5, dead: bool = False, n: int = 80) -> ArmSummary:
    return ArmSummary(name, 20, n, rate, 0.5, score, dead)


arms_of = st.lists(
    st.tuples(st.floats(0, 1), st.one_of(st.floats(0, 1), st.just(float("nan"))), st.booleans()),
    min_size=1,
    max_size=40,
)
config_of = st.builds(
    MixtureConfig,
    floor=st.floats(0, 0.2),
    cap=st.floats(0.05, 1),
    kl=st.floats(0, 1),
    explore=st.floats(0, 0.5),
    replay=st.floats(0, 0.5),
    sharpness=st.floats(0, 3),
)


def summaries(rows, names=None):
    return [arm(f"f/{i}/s", p, score=u, dead=d) for i, (p, u, d) in enumerate(rows)]


@settings(max_examples=60, deadline=None)
@given(arms_of, arms_of, config_of)
def test_weights_floors_caps_and_trust_region_hold_for_any_input(before, after, config):
    first = plan(summaries(before), policy_id="p0", snapshot_id=1, config=config)
    second = plan(summaries(after), policy_id="p1", snapshot_id=2, config=config, previous=first)
    for rows, made in ((before, first), (after, second)):
        w = np.array(list(made.weights.values()))
        floor, cap = bounds(summaries(rows), config)
        assert w.sum() == pytest.approx(1.0, abs=1e-9)
        assert (w >= floor - 1e-9).all()
        assert (w <= np.maximum(cap, 1 / len(w)) + 1e-9).all()
    both = [a for a in second.weights if a in first.weights]
    moved = divergence(np.array([second.weights[a] for a in both]), np.array([first.weights[a] for a in both]))
    assert moved == pytest.approx(second.kl, abs=1e-9)
    assert moved <= config.kl + 1e-6 or any("above the trust region" in note for note in second.notes)


@settings(max_examples=100, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=20))
def test_a_projection_keeps_floors_and_caps_and_gives_an_arm_capped_at_0_nothing(rows):
    target, low, high = np.array(rows).T
    floor = np.minimum(low, high) / (2 * len(rows))
    cap = np.where(high > 0.1, np.maximum(high, floor), 0.0)
    floor = np.minimum(floor, cap)
    assume(cap.sum() > 0)
    w = project(target, floor, cap)
    assert w.sum() == pytest.approx(1.0, abs=1e-9)
    assert (w >= floor - 1e-6).all()
    assert (w <= cap / min(1.0, cap.sum()) + 1e-6).all()
    assert (w[cap == 0] == 0).all()


def test_weights_follow_the_score_and_the_diff_says_why():
    rates = [0.98, 0.7, 0.5, 0.3, 0.0]
    rng = np.random.default_rng(0)
    names = [f"rev/{i}/made" for i in range(5) for _ in range(30)]
    made = plan(summarize(names, [8] * 150, rng.binomial(8, np.repeat(rates, 30))), policy_id="p", snapshot_id=1)
    w = list(made.weights.values())
    assert w[2] == max(w)
    assert w[4] < 0.02 < w[0] < w[1]
    assert "dead" in made.diff["rev/4/made"]["why"]
    assert "mastered" in made.diff["rev/0/made"]["why"]
    again = plan(
        summarize(names, [8] * 150, rng.binomial(8, np.repeat(rates, 30))), policy_id="p", snapshot_id=1, previous=made
    )
    assert again.previous == made.plan_id
    assert again.kl <= 0.35


def test_safe_fallbacks_are_noted():
    dead = plan([arm("a/1/s", 0.0, dead=True), arm("b/1/s", 0.0, dead=True)], policy_id="p", snapshot_id=1)
    assert dict(dead.weights) == {"a/1/s": 0.5, "b/1/s": 0.5}
    assert "all arms are dead" in dead.notes[0]
    mastered = plan([arm("a/1/s", 0.99), arm("b/1/s", 0.97)], policy_id="p", snapshot_id=1)
    assert "mastered" in mastered.notes[0]
    gone = plan([arm("c/1/s", 0.5)], policy_id="p", snapshot_id=2, previous=dead)
    assert "starts afresh" in gone.notes[0]
    assert gone.diff["a/1/s"]["why"] == "no tasks left in this arm"
    with pytest.raises(UserError, match="at least 1 arm"):
        plan([], policy_id="p", snapshot_id=1)


@settings(max_examples=40, deadline=None)
@given(arms_of)
def test_files_say_the_same_in_toml_and_json(rows):
    made = plan(summaries(rows), policy_id='p"\\1', snapshot_id=7)
    assert plan_file.read(plan_file.to_toml(made)) == made
    assert plan_file.read(plan_file.to_json(made), file="plan.json") == made


def test_bad_files_are_refused_with_the_line():
    made = plan([arm("a/1/s", 0.5), arm("b/1/s", 0.5)], policy_id="p", snapshot_id=1)
    text = plan_file.to_toml(made).replace('"a/1/s" = 0.5', '"a/1/s" = 0.43', 1)
    line = text.splitlines().index("[weights]") + 1
    wanted = f"mixture weights sum to 0.93, must be 1.0 (plan.toml:{line}); see: gradatim plan --check plan.toml"
    with pytest.raises(UserError) as caught:
        plan_file.read(text)
    assert str(caught.value) == wanted
    for broken in ("weights = [", text.replace("0.43", '"x"'), text.replace("0.43", "-0.5").replace("0.5", "1.5", 1)):
        with pytest.raises(UserError, match="see: gradatim plan --check"):
            plan_file.read(broken)


def test_a_hand_made_leap_breaks_the_trust_region():
    made = plan([arm("a/1/s", 0.5), arm("b/1/s", 0.5)], policy_id="p", snapshot_id=1)
    leap = made.model_copy(update={"weights": {"a/1/s": 0.999, "b/1/s": 0.001}})
    with pytest.raises(UserError, match="plan moves by KL"):
        plan_file.check(leap, previous=made)


def test_a_plan_is_a_row():
    made = plan([arm("a/1/s", 0.5)], policy_id="p", snapshot_id=3)
    row = made.record(campaign_id="c", stage_index=2)
    assert (row.mixture_id, row.snapshot_id, row.weights) == (made.plan_id, 3, {"a/1/s": 1.0})


def test_a_scheduler_without_a_plan_is_given_its_shares_of_the_pool():
    pool = [ArmSummary(f"f/{i}/s", size, 80, 0.5, 0.5, 1.0 / size, False) for i, size in enumerate((10, 30, 60))]
    first = unplanned(pool, policy_id="p0", snapshot_id=1, scheduler="uniform")
    assert first.weights == pytest.approx({"f/0/s": 0.1, "f/1/s": 0.3, "f/2/s": 0.6})
    assert {change["why"] for change in first.diff.values()} == {
        "uniform draws without a plan: the arm's share of the pool"
    }
    again = unplanned(pool[1:], policy_id="p1", snapshot_id=2, scheduler="uniform", previous=first)
    assert again.weights == pytest.approx({"f/1/s": 1 / 3, "f/2/s": 2 / 3})
    assert again.kl == pytest.approx(0.0, abs=1e-12)
    assert again.diff["f/0/s"]["why"] == "no tasks left in this arm"
    with pytest.raises(UserError, match="at least 1 arm"):
        unplanned([], policy_id="p", snapshot_id=1, scheduler="uniform")


def test_a_weight_that_the_trust_region_holds_says_so():
    names = ["a/0/s", "b/0/s", "c/0/s"]
    first = plan([arm(name, 0.5) for name in names], policy_id="p0", snapshot_id=1)
    died = [arm("a/0/s", 0.5), arm("b/0/s", 0.5), arm("c/0/s", 0.0, dead=True)]
    tight = plan(died, policy_id="p1", snapshot_id=2, previous=first, config=MixtureConfig(kl=0.01))
    assert "the trust region holds it" in str(tight.diff["c/0/s"]["why"])
    assert tight.weights["c/0/s"] > 0.1
    wide = plan(died, policy_id="p1", snapshot_id=2, previous=first, config=MixtureConfig(kl=10))
    assert str(wide.diff["c/0/s"]["why"]).endswith("exploration only")
