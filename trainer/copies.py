"""A policy's own copy in another process, which draws the same bits: same weights, same pieces, as many threads."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import torch

from trainer import policies
from trainer.errors import CheckpointBroken
from trainer.policies import LoadedPolicy
from trainer.rollout import Completion, Piece, draw


class Share(NamedTuple):
    """One piece of a sample, where its policy lies and which it is, and the threads that decide how sums round."""

    path: str
    policy_id: str
    threads: int
    piece: Piece


def share(policy: LoadedPolicy, piece: Piece) -> Share:
    """A piece of `policy`'s sample for another process, which is to have as many threads of torch as this one."""
    return Share(policy.path, policy.policy_id, torch.get_num_threads(), piece)


def draw_share(batch: Share) -> list[list[Completion]]:
    """The completions of every prompt of a share; raises `CheckpointBroken` when another policy lies there."""
    if torch.get_num_threads() != batch.threads:
        torch.set_num_threads(batch.threads)
    policy = _copy(batch.path)
    if policy.policy_id != batch.policy_id:
        raise CheckpointBroken(f"'{batch.path}' holds policy {policy.policy_id}, {batch.policy_id} was asked for")
    return draw(policy, batch.piece)


@lru_cache(maxsize=2)
def _copy(path: str) -> LoadedPolicy:
    return policies.load(path)
