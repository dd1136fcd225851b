"""Rollouts as TRL's `rollout_func` returns them: one list a field, a value for each row of the batch."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from synth.graders import Judged
from trainer.episodes import Played
from trainer.rollout import Tokens
from trainer.sampler import Group

Columns = dict[str, list[Any]]


def of_tokens(prompt_ids: Sequence[list[int]], rows: Sequence[Tokens]) -> Columns:
    """Single turns, one for each prompt."""
    return {
        "prompt_ids": list(prompt_ids),
        "completion_ids": [row.ids for row in rows],
        "logprobs": [row.logprobs for row in rows],
        "mean_entropy": [row.mean_entropy for row in rows],
        "finished": [row.finished for row in rows],
    }


def of_groups(prompt_ids: Sequence[list[int]], groups: Sequence[Group]) -> Columns:
    """Groups that were sampled and judged apart, in the order of the prompts."""
    rows = [(group, word) for group in groups for word in group.words]
    return of_tokens(prompt_ids, [row for group in groups for row in group.rows]) | {
        "latency_s": [group.latency_s for group, _ in rows],
        "policy_step": [group.policy_step for group, _ in rows],
        "word": [word for _, word in rows],
    }


def of_episodes(played: Sequence[Played], words: Sequence[Judged]) -> Columns:
    """Episodes and the words on them; what the policy was told is in `env_mask` as 0."""
    ends = [one.trajectory for one in played]
    return {
        "prompt_ids": [one.prompt_ids for one in played],
        "completion_ids": [one.ids for one in played],
        "logprobs": [one.logprobs for one in played],
        "env_mask": [one.mask for one in played],
        "mean_entropy": [one.mean_entropy for one in played],
        "finished": [one.handed_in for one in played],
        "latency_s": [one.latency_s for one in ends],
        "word": list(words),
        "turns": [one.turns for one in ends],
        "handed_in": [one.submission or "" for one in ends],
        "n_tokens": [one.n_tokens for one in ends],
        "cause": [one.cause for one in ends],
    }


def whole_groups(encoded: Sequence[list[int]]) -> tuple[list[list[int]], int]:
    """Neighbouring equal prompts once, and how often each stands there; (all, 1) when runs differ in length.

    >>> whole_groups([[1], [1], [2], [2]]), whole_groups([[1], [1], [2]])
    (([[1], [2]], 2), ([[1], [1], [2]], 1))
    """
    runs: list[list[int]] = []
    lengths: list[int] = []
    for ids in encoded:
        if runs and runs[-1] == ids:
            lengths[-1] += 1
        else:
            runs.append(ids)
            lengths.append(1)
    return (runs, lengths[0]) if len(set(lengths)) == 1 else (list(encoded), 1)
