"""A policy's copy in another process draws what the policy draws, and is the policy that was asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest

from trainer.copies import draw_share, share
from trainer.errors import CheckpointBroken
from trainer.rollout import Piece, draw

PIECE = Piece(("rev ab?", "sort hgfedcba?"), 4, 1.0, 14, 3)


def test_a_copy_draws_what_the_policy_draws(warm_policy):
    here, there = draw(warm_policy, PIECE), draw_share(share(warm_policy, PIECE))
    assert [[replace(one, latency_s=0.0) for one in group] for group in here] == [
        [replace(one, latency_s=0.0) for one in group] for group in there
    ]


def test_another_policy_in_the_same_place_is_refused(warm_policy):
    with pytest.raises(CheckpointBroken, match="was asked for"):
        draw_share(share(replace(warm_policy, policy_id="another"), PIECE))
