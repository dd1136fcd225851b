"""Samples of a policy drawn by several workers, each with its own copy of the weights: the same bits wherever."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from prefect import task
from prefect.cache_policies import NO_CACHE

from flows.crew import crew
from flows.progress import Progress
from flows.settings import Settings
from trainer.copies import Share, draw_share, share
from trainer.policies import LoadedPolicy
from trainer.rollout import Completion, Piece, draw

LEAST = 2
"""Pieces for each worker below which a sample is drawn here: a worker has to start and to load the weights."""


draw_task = task(name="sample", cache_policy=NO_CACHE, persist_result=False)(draw_share)


def drawn_elsewhere(settings: Settings, policy: LoadedPolicy, *, shown: bool = False) -> LoadedPolicy:
    """`policy`, whose large samples are drawn by the workers that the settings name, their progress `shown`.

    With threads they are drawn here: one model in one process has torch's own threads. So they are where the policy
    has no folder that a worker could load it from.
    """
    here = settings.task_runner == "threads" or settings.workers == 1 or not policy.path

    def draw_all(pieces: Sequence[Piece]) -> list[list[list[Completion]]]:
        if here or len(pieces) < LEAST * settings.workers:
            return _gathered(pieces, (draw(policy, piece) for piece in pieces), shown=shown)
        shares = [share(policy, piece) for piece in pieces]
        with crew(settings, draw_task, shares, name=_name) as take:
            return _gathered(pieces, map(take, shares), shown=shown)

    return policy if here and not shown else replace(policy, elsewhere=draw_all)


def _gathered(
    pieces: Sequence[Piece], found: Iterable[list[list[Completion]]], *, shown: bool
) -> list[list[list[Completion]]]:
    """What was found of each piece, as it comes."""
    if not shown:
        return list(found)
    gathered, n_tokens, n_done = [], 0, 0
    with Progress("sample", total=sum(len(piece.prompts) * piece.n for piece in pieces)) as progress:
        for groups in found:
            gathered.append(groups)
            n_done += sum(map(len, groups))
            n_tokens += sum(one.n_tokens for group in groups for one in group)
            progress.to(n_done, f"{n_tokens} tokens")
    return gathered


def _name(one: Share) -> str:
    return f"a piece of {len(one.piece.prompts)} prompts for policy {one.policy_id[:8]}"
