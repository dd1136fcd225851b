"""Episodes of many turns: a policy plays agent tasks in batches, and every token knows whether it wrote it."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch

from synth.environments import Budget, Episode
from synth.environments.running import Trajectory, begun, finished
from synth.sandbox import Pool
from trainer.calling import reader_of
from trainer.config import EpisodeConfig, SamplingConfig
from trainer.dialogue import Dialogue
from trainer.policies import LoadedPolicy
from trainer.rollout import MAX_ROWS, Tokens, decode
from warehouse.records import Task

CONTEXT = "context"
"""The limit that ends an episode which no longer fits into the policy's context."""


@dataclass(frozen=True, slots=True)
class Played:
    """One finished episode as tokens: after the prompt, 1 in `mask` where the policy wrote, 0 where it was told.

    `logprobs` are 0 where it was told; `mean_entropy` is over what it wrote, nats a token.
    """

    prompt_ids: list[int]
    ids: list[int]
    mask: list[int]
    logprobs: list[float]
    mean_entropy: float
    trajectory: Trajectory

    @property
    def handed_in(self) -> bool:
        """Whether the policy ended the episode itself."""
        return self.trajectory.submission is not None


@dataclass(slots=True)
class _Seat:
    """One episode in progress and its tokens so far."""

    episode: Episode
    prompt_ids: list[int]
    ids: list[int] = field(default_factory=list)
    mask: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    entropy: float = 0.0
    ended_at: float | None = None

    def say(self, row: Tokens) -> None:
        self.ids += row.ids
        self.mask += [1] * len(row.ids)
        self.logprobs += row.logprobs
        self.entropy += row.mean_entropy * len(row.ids)

    def hear(self, ids: Sequence[int]) -> None:
        self.ids += ids
        self.mask += [0] * len(ids)
        self.logprobs += [0.0] * len(ids)


class Player:
    """Plays agent tasks with one policy, all episodes of a call at once, a turn at a time.

    What follows the last message of an episode is nobody's: a trajectory ends with the policy's own token.
    """

    def __init__(
        self,
        policy: LoadedPolicy,
        pool: Callable[[], Pool],
        sampling: SamplingConfig,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        config = sampling.episodes or EpisodeConfig()
        self._policy, self._pool, self._clock = policy, pool, clock
        self._sampling, self._dialogue = sampling, Dialogue(policy, config.grammar)
        self._read = reader_of(policy, config.grammar)
        self._budget = Budget(config.calls, config.tokens, config.seconds, config.observation_characters)
        self._room = int(policy.model.config.max_position_embeddings)

    def play(
        self, tasks: Sequence[Task], *, model: Any = None, generator: torch.Generator | None = None
    ) -> list[Played]:
        """One episode of each task, in order, by the policy's model or by `model` in its place.

        The same weights, tasks, settings and generator give the same turns.
        """
        began = self._clock()
        seats = [self._seat(task) for task in tasks]
        try:
            while live := self._live(seats):
                for start in range(0, len(live), MAX_ROWS):
                    self._turn(live[start : start + MAX_ROWS], model or self._policy.model, generator)
        finally:
            for seat in seats:
                seat.episode.environment.close()
        now = self._clock()
        return [self._played(seat, (now if seat.ended_at is None else seat.ended_at) - began) for seat in seats]

    def _seat(self, task: Task) -> _Seat:
        episode = begun(task, self._pool(), budget=self._budget, clock=self._clock, read=self._read)
        return _Seat(episode, self._dialogue.opening(episode.reset().text, episode.tools))

    def _live(self, seats: Sequence[_Seat]) -> list[_Seat]:
        """The episodes that go on; one that has no room for another turn ends here."""
        for seat in seats:
            if len(seat.prompt_ids) + len(seat.ids) + self._sampling.max_tokens > self._room:
                seat.episode.stop(CONTEXT)
        return [seat for seat in seats if seat.episode.ended is None]

    def _turn(self, seats: Sequence[_Seat], model: Any, generator: torch.Generator | None) -> None:
        began = self._clock()
        rows = decode(
            model,
            [seat.prompt_ids + seat.ids for seat in seats],
            n=1,
            temperature=self._sampling.temperature,
            max_tokens=self._sampling.max_tokens,
            end_ids=self._policy.end_ids,
            pad_id=self._policy.tokenizer.pad_token_id,
            generator=generator,
        )
        latency = self._clock() - began
        texts = self._policy.tokenizer.batch_decode([row.ids for row in rows], skip_special_tokens=True)
        for seat, row, text in zip(seats, rows, texts, strict=True):
            seat.say(row)
            seen = seat.episode.step(text, n_tokens=len(row.ids), latency_s=latency)
            if seen.done:
                seat.ended_at = self._clock()
            else:
                seat.hear(self._dialogue.heard(seen.text, ended=row.finished))

    def _played(self, seat: _Seat, latency_s: float) -> Played:
        last = max((place + 1 for place, wrote in enumerate(seat.mask) if wrote), default=0)
        ids, mask, logprobs = seat.ids[:last], seat.mask[:last], seat.logprobs[:last]
        if not ids:  # nothing was written: one token that counts in nothing stands for the completion
            ids, mask, logprobs = [self._policy.tokenizer.pad_token_id], [0], [0.0]
        trajectory = finished(seat.episode, self._pool(), latency_s=latency_s)
        return Played(seat.prompt_ids, ids, mask, logprobs, seat.entropy / max(1, sum(mask)), trajectory)
