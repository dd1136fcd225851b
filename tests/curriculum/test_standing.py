from __future__ import annotations

from curriculum.knobs import Settings
from curriculum.standing import Done, Standing, follow
from warehouse.records import Action


def done(alarm: str, *, applied: bool = True, **after) -> Done:
    row = Action(
        action_id=alarm, alarm_id=alarm, owner="c", action="planted", rule_version="1", after=after, applied=applied
    )
    return Done(alarm, row)


def test_nothing_done_leaves_the_settings():
    assert follow(Settings(), []) == Standing(Settings())


def test_later_actions_stand_over_earlier_ones_and_words_add_up():
    standing = follow(
        Settings(),
        [
            done("gradient", learning_rate=1.5e-4, rollback=True, next_stage=2),
            done("pass_k_loss", mixture="wider"),
            done("forgetting", mixture="floor", arm="rev/2/x"),
            done("entropy_surge", learning_rate=7.5e-5, entropy_coef=0.0),
        ],
    )
    assert standing.settings == Settings(learning_rate=7.5e-5)
    assert standing.words == (("wider", None), ("floor", "rev/2/x"))
    assert standing.taken == ("gradient", "pass_k_loss", "forgetting", "entropy_surge")
    assert standing.n_rollbacks == 1


def test_what_was_refused_counts_as_taken_and_changes_nothing():
    standing = follow(Settings(), [done("infrastructure", applied=False, beta=0.1, rollback=True, mixture="up")])
    assert standing == Standing(Settings(), taken=("infrastructure",))
