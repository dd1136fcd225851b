from __future__ import annotations

import pytest

from curriculum.actions import decide
from curriculum.detectors import Firing
from curriculum.knobs import Settings
from curriculum.looks import figures, healthy_before, moves, respond, see, settings_after
from curriculum.mixture import MixtureConfig, bounds, plan
from curriculum.summary import summarize
from curriculum.tilt import ARM_FLOOR, WORDS, tilted
from warehouse.errors import UserError
from warehouse.records import AlarmLevel

NAN = float("nan")
LOSS = {"pass@k_difference": -0.08, "pass@k_high": -0.04}


def critical(name: str) -> Firing:
    return Firing(name, "1", AlarmLevel.CRITICAL, 1, 1.0, {}, True)


def critical_names(looks) -> list[str]:
    return [f.detector for f in see(looks).firings if f.level is AlarmLevel.CRITICAL]


def test_a_loss_of_pass_k_is_critical_at_its_first_look_and_again_at_each():
    looks = {0: {}, 1: LOSS, 2: LOSS}
    assert critical_names({k: looks[k] for k in (0, 1)}) == ["pass_k_loss"]
    assert critical_names(looks) == ["pass_k_loss"]


def test_a_loss_of_pass_k_that_shrinks_after_an_action_is_not_answered_again():
    falls = [NAN, -0.12, -0.08, -0.09]
    looks = {index: LOSS | {"pass@k_difference": fall} for index, fall in enumerate(falls)}
    found = [critical_names({k: looks[k] for k in range(n + 1)}) for n in range(len(falls))]
    assert found == [[], ["pass_k_loss"], [], ["pass_k_loss"]]


def test_shares_need_two_looks():
    dead = {"all_right": 0.0, "all_wrong": 0.97}
    assert critical_names({1: dead}) == []
    assert critical_names({1: dead, 2: dead}) == ["zero_variance"]


def test_a_healthy_campaign_and_one_whose_entropy_alone_dies_change_nothing():
    healthy = {
        i: {
            "pass@k_difference": 0.03 * i,
            "pass@k_high": 0.03 * i + 0.02,
            "forgetting_worst": -0.02,
            "forgetting_high": 0.03,
            "entropy": 0.6 * 0.4**i,
            "reward": 0.4 + 0.05 * i,
            "all_right": 0.2,
            "all_wrong": 0.3,
            "truncated_rate": 0.02,
            "n_tokens": 6.0,
            "infra_rate": 0.0,
            "duplicate_rate": 0.3,
            "stock_batches": 100.0,
        }
        for i in range(8)
    }
    for newest in healthy:
        seen = see({i: healthy[i] for i in range(newest + 1)})
        assert respond(seen, [], Settings(), taken=[], n_rollbacks=0) == []


@pytest.mark.parametrize(
    "looks",
    [
        {},
        {0: {}},
        {0: {"entropy": 0.5}},
        {i: {"entropy": NAN, "pass@k_difference": NAN, "pass@k_high": NAN} for i in range(5)},
        {i: {"entropy": 0.3, "reward": 0.5, "pass@k_difference": 0.0, "pass@k_high": 0.0} for i in range(6)},
        {0: {"entropy": 0.5}, 4: {"entropy": 0.4, "all_right": 0.2}, 9: {"n_tokens": 3.0, "all_wrong": 0.1}},
    ],
)
def test_nothing_one_point_nan_constant_and_gaps_raise_nothing(looks):
    assert see(looks).firings == []


def test_what_a_guard_asks_for_climbs_the_campaign_s_ladder():
    nothing = see({})
    first = respond(nothing, [critical("pass_rate_gap")], Settings(), taken=[], n_rollbacks=0)
    assert (first[0].rollback, first[0].changes["learning_rate"]) == (True, (3e-4, 7.5e-5))
    second = respond(nothing, [critical("pass_rate_gap")], Settings(), taken=["pass_rate_gap"], n_rollbacks=1)
    assert second[0].changes["beta"] == (0.0, 0.02)
    assert respond(nothing, [critical("gradient")], Settings(), taken=[], n_rollbacks=3)[0].stop


def test_a_detector_that_the_guard_answered_is_not_answered_again():
    seen = see({1: LOSS})
    assert respond(seen, [], Settings(), taken=[], n_rollbacks=0)
    assert respond(seen, [], Settings(), taken=[], n_rollbacks=0, answered=["pass_k_loss"]) == []


def test_a_policy_that_falls_is_rolled_back_and_not_made_bolder():
    fallen = {**LOSS, "pass@1_fall": -0.3, "pass@1_fall_high": -0.2}
    (decision,) = respond(see({1: fallen}), [], Settings(), taken=[], n_rollbacks=0)
    assert (decision.alarm, decision.rollback, decision.changes) == (
        "pass_rate_fall",
        True,
        {"learning_rate": (3e-4, 7.5e-5)},
    )
    gap = respond(see({1: LOSS}), [critical("gradient")], Settings(), taken=[], n_rollbacks=0)
    assert [found.alarm for found in gap] == ["gradient"]


@pytest.mark.parametrize("lost", [LOSS, {"pass@1_fall": -0.3, "pass@1_fall_high": -0.2}])
def test_a_policy_whose_entropy_explodes_goes_back_without_its_bonus(lost):
    looks = {0: {"entropy": 0.4}, 1: {**lost, "entropy": 0.7}}
    (decision,) = respond(see(looks), [], Settings(entropy_coef=0.1), taken=[], n_rollbacks=0)
    assert (decision.rollback, decision.changes) == (True, {"entropy_coef": (0.1, 0.0)})
    unknown = {0: {}, 1: lost}
    (decision,) = respond(see(unknown), [], Settings(entropy_coef=0.1), taken=[], n_rollbacks=0)
    assert "entropy_coef" not in decision.changes


def test_what_only_asks_people_does_not_move_anything():
    asks, restocks, widens = (
        decide([critical(name)], Settings(), standing={}, taken=taken)[0]
        for name, taken in (("infrastructure", []), ("stock", []), ("pass_k_loss", ["pass_k_loss"]))
    )
    assert asks.ask
    assert not moves(asks)
    assert moves(restocks), "a campaign synthesises by itself"
    assert moves(widens)
    unplanned = decide([critical("zero_variance")], Settings(planned=False), standing={})[0]
    assert not moves(unplanned)
    assert "mixture" in unplanned.refused


def test_settings_are_read_back_from_a_row():
    decision = decide([critical("pass_k_loss")], Settings(), standing={})[0]
    assert settings_after(Settings(), decision.after()) == decision.settings
    assert settings_after(Settings(), {"rollback": True, "mixture": "wider"}) == Settings()


def test_healthy_looks_and_figures():
    assert healthy_before(1, {0}, [0, 1]) == []
    assert figures({"pass@8": 0.5, "entropy": NAN, "pass@k_high": 0.1, "reward": 1.0}) == {"pass@8": 0.5}


def test_every_word_stays_within_the_bounds_of_the_plan_s_settings():
    for word in WORDS:
        config = MixtureConfig()
        for _ in range(10):
            config = tilted(config, word, "a/1/x")
        assert MixtureConfig.model_validate(config.model_dump()) == config
        assert config != MixtureConfig()
    with pytest.raises(UserError, match="nearest: wider"):
        tilted(MixtureConfig(), "widerr")


def test_words_move_the_plan_the_way_they_say():
    names = ["easy/1/x"] * 40 + ["some/1/x"] * 40 + ["hard/1/x"] * 40
    arms = summarize(names, [16] * 120, [14] * 40 + [8] * 40 + [1] * 40)

    def weights(config: MixtureConfig):
        return plan(arms, policy_id="p", snapshot_id=1, config=config).weights

    plain = weights(MixtureConfig())
    assert weights(tilted(MixtureConfig(), "up"))["easy/1/x"] < plain["easy/1/x"]
    assert weights(tilted(MixtureConfig(), "down"))["hard/1/x"] < plain["hard/1/x"]
    assert min(weights(tilted(MixtureConfig(), "wider")).values()) > min(plain.values())
    floor, _ = bounds(arms, tilted(MixtureConfig(), "floor", "hard/1/x"))
    assert dict(zip([a.arm for a in arms], floor, strict=True))["hard/1/x"] == ARM_FLOOR
