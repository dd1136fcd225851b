from __future__ import annotations

import pytest

from curriculum.actions import MAX_ROLLBACKS, RULES, RULES_VERSION, decide
from curriculum.detectors import DETECTORS, Firing
from curriculum.knobs import KNOBS, Settings, moved
from warehouse.errors import UserError
from warehouse.records import AlarmLevel


def firing(name: str, level: AlarmLevel = AlarmLevel.CRITICAL, **inputs) -> Firing:
    return Firing(name, "1", level, 40, 1.0, inputs, True)


def one(name: str, settings: Settings | None = None, **kwargs):
    standing = kwargs.pop("standing", {name: AlarmLevel.CRITICAL})
    found = decide([firing(name, **kwargs.pop("inputs", {}))], settings or Settings(), standing=standing, **kwargs)
    return found[0] if found else None


def test_the_table_answers_every_detector_but_the_law():
    assert set(RULES) == set(DETECTORS.names()) - {"entropy_law"}


def test_a_falling_policy_is_rolled_back_at_a_quarter_of_the_rate_then_held_then_stopped():
    first = one("pass_rate_gap")
    assert (first.rollback, first.end_stage, first.changes["learning_rate"]) == (True, True, (3e-4, 7.5e-5))
    second = one("pass_rate_gap", first.settings, taken=["pass_rate_gap"], n_rollbacks=1)
    assert second.changes["beta"] == (0.0, 0.02)
    assert list(second.changes) == ["beta"]
    third = one("pass_rate_gap", second.settings, taken=["pass_rate_gap"] * 2, n_rollbacks=2)
    assert third.stop
    assert third.rule_version == RULES_VERSION


@pytest.mark.parametrize(("lost", "falls"), [(-0.2, True), (-0.05, False), (0.1, False), (None, False)])
def test_a_loss_of_pass_k_that_took_pass_rate_with_it_is_a_fall_and_nothing_is_made_bolder(lost, falls):
    found = one("pass_k_loss", inputs={} if lost is None else {"pass@1_difference": lost})
    assert found.rollback is falls
    assert ("entropy_coef" in found.changes) is not falls


@pytest.mark.parametrize("alarm", ["pass_k_loss", "pass_rate_gap", "pass_rate_fall"])
def test_a_policy_that_dissolves_loses_its_bonus_before_its_rate(alarm):
    dissolving = {"pass@1_difference": -0.06, "entropy_rise": 1.6}
    first = one(alarm, Settings(entropy_coef=0.1), inputs=dissolving)
    assert first.rollback
    assert first.after() == {"entropy_coef": 0.0, "rollback": True, "end_stage": True}
    second = one(alarm, first.settings, inputs=dissolving, taken=[alarm], n_rollbacks=1)
    assert second.changes == {"learning_rate": (3e-4, 7.5e-5)}
    assert one(alarm, Settings(), inputs=dissolving).changes == {"learning_rate": (3e-4, 7.5e-5)}
    narrowing = {**dissolving, "entropy_rise": 1.2}
    assert "entropy_coef" not in (one("pass_rate_fall", Settings(entropy_coef=0.02), inputs=narrowing)).changes


def test_an_action_never_moves_a_knob_back_that_starts_beyond_its_bound():
    assert "entropy_coef" in one("pass_k_loss", Settings(entropy_coef=0.1)).refused
    assert moved(Settings(entropy_coef=0.1), "entropy_coef", 0.0).entropy_coef == 0.0
    assert moved(Settings(temperature=0.2), "temperature", 0.1).temperature == 0.2


def test_the_fourth_roll_back_is_a_stop_and_one_call_rolls_back_once():
    assert one("gradient", n_rollbacks=MAX_ROLLBACKS).stop
    both = decide([firing("gradient"), firing("pass_rate_gap")], Settings(), standing={})
    assert sum(d.rollback for d in both) == 1


def test_entropy_alone_does_nothing_and_with_pass_k_it_acts():
    assert one("entropy_fall") is None
    assert one("entropy_surge") is None
    found = one("entropy_fall", standing={"entropy_fall": AlarmLevel.CRITICAL, "pass_k_loss": AlarmLevel.WARN})
    assert found.changes["entropy_coef"] == (0.0, 0.025)
    assert found.changes["pass_k"] == (1, 2)
    calm = one("entropy_surge", Settings(entropy_coef=0.05), standing={"pass_rate_gap": AlarmLevel.CRITICAL})
    assert calm.after() == {"entropy_coef": 0.0, "learning_rate": 1.5e-4}


def test_warnings_and_clearings_do_nothing():
    assert (
        decide([firing("gradient", AlarmLevel.WARN), firing("length", AlarmLevel.CLEAR)], Settings(), standing={}) == []
    )


def test_knobs_stay_within_bounds_and_are_refused_at_them_or_without_effect():
    found = one("pass_k_loss", Settings(entropy_coef=0.05, temperature=1.2, group=2))
    assert found.changes == {}
    assert set(found.refused) == {"entropy_coef", "temperature", "pass_k"}
    assert moved(Settings(), "pass_k", 99).pass_k == 4
    assert moved(Settings(), "learning_rate", 5.0).learning_rate == KNOBS["learning_rate"].high
    with pytest.raises(UserError, match="with one update a generation the ratio is 1"):
        moved(Settings(), "epsilon_high", 0.3)
    assert moved(Settings(updates_per_generation=2), "epsilon_high", 0.3).epsilon_high == 0.3
    with pytest.raises(UserError, match="unknown knob"):
        moved(Settings(), "epsilon", 0.3)


def test_zero_variance_moves_the_mixture_against_the_leading_kind():
    assert one("zero_variance", inputs={"kind": "all_right"}).mixture == "up"
    assert one("zero_variance", inputs={"kind": "all_wrong"}).mixture == "down"
    assert one("zero_variance", inputs={"kind": "all_wrong"}, taken=["zero_variance"]).ask == "synthesise"


def test_hacking_and_outages_end_or_pause():
    assert (one("hidden_tests").end_stage, one("hidden_tests").ask) == (True, "quarantine")
    assert one("hidden_tests", taken=["hidden_tests"]).stop
    assert one("infrastructure").ask == "mask"
    assert one("forgetting").changes["replay"] == (0.05, 0.15)
