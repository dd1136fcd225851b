"""The one reward function that TRL sees: S, or None where nothing could be decided."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from synth.graders import Judged, Stack
from synth.sandbox import Pool
from trainer.engines.referee import referee_of
from trainer.errors import RewardFailed
from trainer.stagefile import StageFile
from warehouse.records import JsonValue, Task

MAX_UNDECIDED_STEPS = 5
"""Steps in a row without one decided rollout before the stage fails."""

CACHE_SIZE = 200_000
"""Judgements kept: a small policy writes the same completions again and again."""


class JudgeLike(Protocol):
    """What rewards need of `synth.graders.Judge`; agent tasks play in its sandbox."""

    @property
    def pool(self) -> Pool: ...

    def judge(
        self, tasks: Sequence[Task], completions: Sequence[str], *, truncated: Sequence[bool] | None = None
    ) -> list[Judged]: ...


class TaskReward:
    """TRL's reward function: judges completions of the tasks at their pool positions.

    A decided judgement of the same completion of the same task is reused within the stage; an undecided one
    never is, nor any of a judge that says `each_time`. `last` holds the judgements of the newest batch, in the
    batch's order. With a `stack` every judgement goes through its graders: rewards are then S without its costs
    until `settle` knows the groups.
    A judge that has not answered after `timeout_s` counts as hung.
    """

    __name__ = "task"

    def __init__(
        self, tasks: Sequence[Task], judge: JudgeLike, stack: Stack | None = None, *, timeout_s: float = 600.0
    ) -> None:
        self._tasks, self._judge, self._stack, self._timeout_s = tasks, judge, stack, timeout_s
        self._known: dict[tuple[int, str, bool], Judged] = {}
        self._undecided_steps = 0
        self.last: list[Judged] = []

    def __call__(
        self,
        completions: Sequence[str],
        position: Sequence[int],
        finished: Sequence[bool] | None = None,
        completion_ids: Sequence[Sequence[int]] | None = None,
        latency_s: Sequence[float] | None = None,
        word: Sequence[Judged] | None = None,
        **_: Any,
    ) -> list[float | None]:
        """Rewards in the order of `completions`; raises `RewardFailed` when judging fails or decides nothing.

        `word` holds judgements that were made where the completions were sampled, the stack's parts included.
        """
        if word is not None:
            self.last = list(word)
        else:
            self.last = self.words(
                completions, position, finished=finished, completion_ids=completion_ids, latency_s=latency_s
            )
        self._count_undecided()
        return [found.reward for found in self.last]

    def words(
        self,
        completions: Sequence[str],
        position: Sequence[int],
        *,
        finished: Sequence[bool] | None = None,
        completion_ids: Sequence[Sequence[int]] | None = None,
        latency_s: Sequence[float] | None = None,
    ) -> list[Judged]:
        """Judgements in the order of `completions`, graded by the stack; may be called from several threads."""
        cut = [not done for done in finished] if finished is not None else [False] * len(completions)
        found = self._words(list(zip(position, completions, cut, strict=True)))
        return self._graded(found, position, completions, cut, completion_ids, latency_s)

    def graded_turns(
        self,
        words: Sequence[Judged],
        position: Sequence[int],
        completions: Sequence[str],
        turns: Sequence[tuple[Mapping[str, JsonValue], ...]],
        *,
        n_tokens: Sequence[int],
        latency_s: Sequence[float],
    ) -> list[Judged]:
        """The stack's word on trajectories that their environments have judged, `words` without a stack."""
        if self._stack is None:
            return list(words)
        stack, tasks = self._stack, [self._tasks[place] for place in position]
        return self._within(
            lambda: stack.grade(tasks, completions, words, n_tokens=n_tokens, latency_s=latency_s, turns=turns),
            f"grading {len(tasks)} trajectories",
        )

    def settle(self, samples: Sequence[dict[str, Any]], group_size: int) -> list[float | None]:
        """Rewards of whole groups in order, costs included where they may act; `samples` take them over."""
        if self._stack is not None:
            words = [Judged(s["judgement"], s["reward"], s["parts"], s["cheats"]) for s in samples]
            settled = self._stack.settle(words, [place // group_size for place in range(len(words))])
            for sample, found in zip(samples, settled, strict=True):
                sample["reward"], sample["parts"] = found.reward, dict(found.parts)
        return [sample["reward"] for sample in samples]

    @property
    def graded(self) -> bool:
        """Whether rewards come from a grader stack and are settled by group."""
        return self._stack is not None

    def _words(self, keys: list[tuple[int, str, bool]]) -> list[Judged]:
        if getattr(self._judge, "each_time", False):
            return self._ask(keys)
        known = {key: word for key in keys if (word := self._known.get(key)) is not None}
        new = [key for key in dict.fromkeys(keys) if key not in known]
        fresh = dict(zip(new, self._ask(new), strict=True))
        if len(self._known) > CACHE_SIZE:
            self._known.clear()
        self._known |= {key: word for key, word in fresh.items() if word.judgement.decided}
        known |= fresh
        return [known[key] for key in keys]

    def _graded(
        self,
        words: list[Judged],
        position: Sequence[int],
        completions: Sequence[str],
        cut: Sequence[bool],
        completion_ids: Sequence[Sequence[int]] | None,
        latency_s: Sequence[float] | None,
    ) -> list[Judged]:
        if self._stack is None:
            return words
        stack, lengths = self._stack, None if completion_ids is None else [len(ids) for ids in completion_ids]
        tasks = [self._tasks[place] for place in position]
        return self._within(
            lambda: stack.grade(tasks, completions, words, truncated=cut, n_tokens=lengths, latency_s=latency_s),
            f"grading {len(tasks)} completions",
        )

    def _ask(self, keys: Sequence[tuple[int, str, bool]]) -> list[Judged]:
        if not keys:
            return []
        tasks = [self._tasks[position] for position, _, _ in keys]
        words = self._within(
            lambda: self._judge.judge(tasks, [text for _, text, _ in keys], truncated=[cut for _, _, cut in keys]),
            f"judging {len(keys)} completions",
        )
        if len(words) != len(keys):
            raise RewardFailed(f"the judge returned {len(words)} judgements for {len(keys)} completions")
        return words

    def _within(self, work: Callable[[], list[Judged]], what: str) -> list[Judged]:
        """What `work` returns; raises `RewardFailed` when it raises or takes longer than the time allowed."""
        outcome: list[list[Judged] | Exception] = []

        def run() -> None:
            try:
                outcome.append(work())
            except Exception as error:
                outcome.append(error)

        thread = threading.Thread(target=run, name="reward", daemon=True)
        thread.start()
        thread.join(self._timeout_s)
        if not outcome:
            raise RewardFailed(f"{what} took longer than {self._timeout_s:g} s; see: [stage] reward_timeout_s")
        found = outcome[0]
        if isinstance(found, Exception):
            raise RewardFailed(f"{what} raised {type(found).__name__}: {found}") from found
        return found

    def _count_undecided(self) -> None:
        decided = any(word.reward is not None for word in self.last)
        self._undecided_steps = 0 if decided else self._undecided_steps + 1
        if self._undecided_steps >= MAX_UNDECIDED_STEPS:
            raise RewardFailed(
                f"no rollout could be judged in {self._undecided_steps} steps in a row "
                f"(last: {self.last[0].detail or self.last[0].judgement})"
            )


def reward_of(file: StageFile, tasks: Sequence[Task], judge: JudgeLike, policy_lineage: str) -> TaskReward:
    """The reward of a stage: through the grader stack that it declares, active at the stage's place, if any."""
    own, stack = file.trainer, None
    if own.graders is not None:
        referee = referee_of(own.referee, Path(file.home))
        stack = Stack(own.graders, judge, referee=referee, stage=file.stage_index + 1, policy_lineage=policy_lineage)
    return TaskReward(tasks, judge, stack, timeout_s=own.stage.reward_timeout_s)
