"""The one reward function that TRL sees: S, or None where nothing could be decided."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

from synth.graders import Judged
from trainer.errors import RewardFailed
from warehouse.records import Task

MAX_UNDECIDED_STEPS = 5
"""Steps in a row without one decided rollout before the stage fails."""

CACHE_SIZE = 200_000
"""Judgements kept: a small policy writes the same completions again and again."""


class JudgeLike(Protocol):
    """What rewards need of `synth.graders.Judge`."""

    def judge(
        self, tasks: Sequence[Task], completions: Sequence[str], *, truncated: Sequence[bool] | None = None
    ) -> list[Judged]: ...


class TaskReward:
    """TRL's reward function: judges completions of the tasks at their pool positions.

    A decided judgement of the same completion of the same task is reused within the stage; an undecided one
    never is. `last` holds the judgements of the newest batch, in the batch's order.
    """

    __name__ = "task"

    def __init__(self, tasks: Sequence[Task], judge: JudgeLike) -> None:
        self._tasks, self._judge = tasks, judge
        self._known: dict[tuple[int, str, bool], Judged] = {}
        self._undecided_steps = 0
        self.last: list[Judged] = []

    def __call__(
        self,
        completions: Sequence[str],
        position: Sequence[int],
        finished: Sequence[bool] | None = None,
        **_: Any,
    ) -> list[float | None]:
        """Rewards in the order of `completions`; raises `RewardFailed` when judging fails or decides nothing."""
        cut = [not done for done in finished] if finished is not None else [False] * len(completions)
        keys = list(zip(position, completions, cut, strict=True))
        new = list(dict.fromkeys(key for key in keys if key not in self._known))
        judged = self._ask(new)
        fresh = dict(zip(new, judged, strict=True))
        self.last = [self._known.get(key) or fresh[key] for key in keys]
        if len(self._known) > CACHE_SIZE:
            self._known.clear()
        self._known |= {key: word for key, word in fresh.items() if word.judgement.decided}
        self._count_undecided()
        return [word.reward for word in self.last]

    def _ask(self, keys: Sequence[tuple[int, str, bool]]) -> list[Judged]:
        if not keys:
            return []
        tasks = [self._tasks[position] for position, _, _ in keys]
        try:
            words = self._judge.judge(tasks, [text for _, text, _ in keys], truncated=[cut for _, _, cut in keys])
        except Exception as error:
            raise RewardFailed(f"judging {len(keys)} completions raised {type(error).__name__}: {error}") from error
        if len(words) != len(keys):
            raise RewardFailed(f"the judge returned {len(words)} judgements for {len(keys)} completions")
        return words

    def _count_undecided(self) -> None:
        decided = any(word.reward is not None for word in self.last)
        self._undecided_steps = 0 if decided else self._undecided_steps + 1
        if self._undecided_steps >= MAX_UNDECIDED_STEPS:
            raise RewardFailed(
                f"no rollout could be judged in {self._undecided_steps} steps in a row "
                f"(last: {self.last[0].detail or self.last[0].judgement})"
            )
